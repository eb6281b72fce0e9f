import type { FastifyRequest } from 'fastify';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { type Documents, documentHash } from '../../auth/trusted-documents.ts';
import type { Caller } from '../../context.ts';
import { AppError } from '../../domain/errors.ts';
import type { CostTerms, PlanOf } from '../../domain/plan.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import { OperationError } from '../../graphql/errors.ts';
import type { OperationPoints } from '../../graphql/limits/cost.ts';
import { isRefused, type ValidatedOperation, type ValidateOperation } from '../../graphql/limits/validate-operation.ts';
import { limitExceeded } from '../../graphql/limits.ts';
import { fieldMessages } from '../../messages/fields.ts';
import type { Message } from '../../messages/message.ts';
import { operationMessages } from '../../messages/operations.ts';
import { requestMessages } from '../../messages/requests.ts';
import type { RateLimiter } from '../../metering/rate-limit.ts';
import { type PreparedOperation, temporaryRefusal, toGraphqlError } from './execute.ts';

/** The parameters of a GraphQL request: the text of the document, the hash of a trusted document, or both. */
export interface OperationRequest {
  readonly query?: string | undefined;
  readonly documentId?: string | undefined;
  /** True for a hash of automatic persisted queries. Its client sends full texts after the reply that none are stored. */
  readonly isAutomatic?: boolean;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Reads the operation of a GET or POST. Returns an error message for a malformed request. */
export function readOperation({ method, query, body }: FastifyRequest): OperationRequest | Message {
  if (method !== 'GET') return parseOperation(body);
  const { variables, extensions, ...rest } = query as Readonly<Record<string, unknown>>;
  return parseOperation({ ...rest, variables: parseJson(variables), extensions: parseJson(extensions) });
}

/**
 * Reads the operation of a decoded JSON body. Returns an error message for a malformed body.
 * The hash of a trusted document is `documentId` or `extensions.persistedQuery.sha256Hash`, as persisted-query clients send it.
 */
export function parseOperation(body: unknown): OperationRequest | Message {
  if (!isObject(body)) return fieldMessages.object();
  const { query, documentId, operationName, variables, extensions } = body;
  if (!isMissing(query) && typeof query !== 'string') return operationMessages.notAText({ field: 'query' });
  if (!isMissing(documentId) && typeof documentId !== 'string') return operationMessages.notAText({ field: 'documentId' });
  if (!isMissing(operationName) && typeof operationName !== 'string') return operationMessages.notAText({ field: 'operationName' });
  if (!isMissing(variables) && !isObject(variables)) return operationMessages.notAnObject({ field: 'variables' });
  if (!isMissing(extensions) && !isObject(extensions)) return operationMessages.notAnObject({ field: 'extensions' });
  const persisted = extensions?.persistedQuery;
  const hash = isObject(persisted) ? persisted.sha256Hash : undefined;
  if (hash !== undefined && typeof hash !== 'string') return operationMessages.notAText({ field: 'sha256Hash' });
  return {
    query: query ?? undefined,
    documentId: documentId ?? hash,
    isAutomatic: isMissing(documentId) && hash !== undefined,
    operationName,
    variables,
  };
}

const isMissing = (value: unknown): value is undefined | null => value === undefined || value === null;

/** Returns text that is not JSON unchanged: `parseOperation` refuses it. */
function parseJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Validates an operation and charges its cost to the key. Returns errors, each with a code, for an operation that must not run.
 * @param validated the operation, if the text of this request was validated already and the key may run it
 */
export type PrepareOperation = (
  request: OperationRequest,
  caller: Caller,
  validated?: ValidatedOperation,
) => Promise<PreparedOperation | readonly GraphQLError[]>;

export interface PrepareOperationParts {
  readonly schema: GraphQLSchema;
  readonly validate: ValidateOperation;
  readonly documents: Pick<Documents, 'find'>;
  /** True if every key may run trusted documents only. */
  readonly trustedOnly: boolean;
  readonly planOf: PlanOf;
  readonly rateLimiter: Pick<RateLimiter, 'spend' | 'charge' | 'owes' | 'paceRefusal'>;
}

/** Number of bytes of a refused document per point. In the standard plan a key can have eight documents of the maximum length refused per second. */
const REFUSED_BYTES_PER_POINT = 128;

/** Creates the preparation that HTTP, event streams and WebSockets share. */
export function createPrepareOperation(parts: PrepareOperationParts): PrepareOperation {
  const { schema, validate, documents, trustedOnly, planOf, rateLimiter } = parts;

  /** Returns the text of the document. @throws GraphQLError; AppError SERVICE_UNAVAILABLE when the trusted documents cannot be read */
  async function documentText({ query, documentId, isAutomatic }: OperationRequest, caller: Caller): Promise<string> {
    const mustBeTrusted = trustedOnly || caller.trustedOnly;
    const text = query?.trim() ? query : undefined;
    const hash =
      documentId?.toLowerCase().replace(/^sha256:/, '') ?? (text !== undefined && mustBeTrusted ? documentHash(text) : undefined);
    if (hash === undefined) {
      if (text === undefined) throw new OperationError('BAD_REQUEST', operationMessages.noQuery());
      return text;
    }
    if (text !== undefined && hash !== documentHash(text)) throw new OperationError('BAD_REQUEST', operationMessages.otherHash());
    if (text !== undefined && !mustBeTrusted) return text;
    const found = /^[0-9a-f]{64}$/.test(hash) ? await documents.find(hash).catch(documentsUnavailable) : null;
    if (found !== null) return found;
    if (mustBeTrusted) throw new OperationError('DOCUMENT_NOT_TRUSTED', operationMessages.notTrusted());
    if (isAutomatic) throw automaticRefused();
    throw new OperationError('PERSISTED_QUERY_NOT_FOUND', operationMessages.unknownHash());
  }

  /** Charges points to the key. @throws GraphQLError COST_TOO_HIGH; AppError RATE_LIMITED */
  async function charge({ total: points, introspection }: OperationPoints, { keyId, plan }: Caller): Promise<PreparedOperation['cost']> {
    const terms = planOf(plan).graphql;
    if (points > terms.ceiling) throw limitExceeded('COST_TOO_HIGH', 'points of cost', points, terms.ceiling);
    const { allowed, remaining } = await rateLimiter.spend(keyId, terms, points);
    if (!allowed) throw costRateLimited(points - remaining, terms);
    const { ceiling } = terms;
    const chargeExcess = (excess: number) => rateLimiter.charge(keyId, terms, Math.min(excess, ceiling));
    return { requested: points, introspection: introspection ?? 0, remaining, restoreRate: pointsPerSecond(terms), ceiling, chargeExcess };
  }

  /** @throws AppError RATE_LIMITED for a key that owes points */
  function requireNoDebt({ keyId, plan }: Caller): void {
    const terms = planOf(plan).graphql;
    const owed = rateLimiter.owes(keyId, terms);
    if (owed > 0) throw costRateLimited(owed + 1, terms);
  }

  /** Charges the reading of a refused document to the key. */
  async function chargeRefused({ query = '' }: OperationRequest, { keyId, plan }: Caller): Promise<void> {
    const terms = planOf(plan).graphql;
    const points = 1 + Math.floor(Buffer.byteLength(query) / REFUSED_BYTES_PER_POINT);
    await rateLimiter.charge(keyId, terms, Math.min(points, terms.ceiling));
  }

  async function prepare(request: OperationRequest, caller: Caller, known?: ValidatedOperation): ReturnType<PrepareOperation> {
    try {
      requireNoDebt(caller);
      const { operationName, variables } = request;
      const validated = known ?? validate({ query: await documentText(request, caller), operationName, variables });
      if (isRefused(validated)) return validated;
      const { document, operation, coercedVariables, points } = validated;
      const cost = await charge(points, caller);
      return { schema, document, operationName, variableValues: variables, coercedVariables, type: operation.operation, cost };
    } catch (error) {
      if (error instanceof GraphQLError) return [error];
      if (error instanceof AppError) return [toGraphqlError(error)];
      throw error;
    }
  }

  return async (request, caller, validated) => {
    const prepared = await prepare(request, caller, validated);
    if (!isRefused(prepared)) return prepared;
    if (!temporaryRefusal({ errors: prepared })) await chargeRefused(request, caller);
    await rateLimiter.paceRefusal(caller.keyId);
    return prepared;
  };
}

/** Clients compare this message, so it is not translated. */
const automaticRefused = () => new GraphQLError('PersistedQueryNotSupported', { extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } });

function costRateLimited(missing: number, terms: CostTerms): AppError {
  const retryAfterSeconds = Math.ceil(missing / pointsPerSecond(terms));
  return new AppError('RATE_LIMITED', requestMessages.noPointsLeft({ seconds: retryAfterSeconds }), {
    retryAfterSeconds,
  });
}

const pointsPerSecond = ({ perMinute }: CostTerms): number => (perMinute * SECOND_MS) / MINUTE_MS;

function documentsUnavailable(cause: unknown): never {
  throw new AppError('SERVICE_UNAVAILABLE', operationMessages.documentsAway(), { retryAfterSeconds: 2 }, { cause });
}
