import { GraphQLError, type GraphQLSchema } from 'graphql';
import { type Documents, documentHash } from '../../auth/trusted-documents.ts';
import type { Caller } from '../../context.ts';
import { AppError } from '../../domain/errors.ts';
import type { CostTerms } from '../../domain/plan.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import { type Examine, isRefused } from '../../graphql/limits/validate-operation.ts';
import { beyond } from '../../graphql/limits.ts';
import type { PlanOf } from '../../metering/plans.ts';
import type { RateLimiter } from '../../metering/rate-limit.ts';
import { failureOf, type Operation } from './execute.ts';

/** What a caller sends to have an operation run: its text, or the hash of a trusted document, or both. */
export interface OperationRequest {
  readonly query?: string | undefined;
  readonly documentId?: string | undefined;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Makes ready what a caller sent: an operation that may be run and is paid for; else the errors, each with its code. */
export type Prepare = (request: OperationRequest, caller: Caller) => Promise<Operation | readonly GraphQLError[]>;

export interface PrepareParts {
  readonly schema: GraphQLSchema;
  readonly examine: Examine;
  readonly documents: Pick<Documents, 'find'>;
  /** True where nobody runs anything but trusted documents. */
  readonly trustedOnly: boolean;
  readonly planOf: PlanOf;
  readonly rateLimiter: Pick<RateLimiter, 'spend'>;
}

export function createPrepare({ schema, examine, documents, trustedOnly, planOf, rateLimiter }: PrepareParts): Prepare {
  /** The text to run. @throws GraphQLError; AppError SERVICE_UNAVAILABLE when it cannot be looked up */
  async function textOf({ query, documentId }: OperationRequest, caller: Caller): Promise<string> {
    const isBound = trustedOnly || caller.trustedOnly;
    const text = query?.trim() ? query : undefined;
    const hash = documentId?.toLowerCase().replace(/^sha256:/, '') ?? (text !== undefined && isBound ? documentHash(text) : undefined);
    if (hash === undefined) {
      if (text === undefined) throw refusal('BAD_REQUEST', 'Send the operation as `query`, or the hash of a trusted document.');
      return text;
    }
    if (text !== undefined && hash !== documentHash(text)) throw refusal('BAD_REQUEST', 'The hash is not that of `query`.');
    if (text !== undefined && !isBound) return text;
    const found = /^[0-9a-f]{64}$/.test(hash) ? await documents.find(hash).catch(unreachable) : null;
    if (found !== null) return found;
    if (isBound) throw refusal('DOCUMENT_NOT_TRUSTED', 'This key runs trusted documents alone, and this is none of them.');
    throw refusal('PERSISTED_QUERY_NOT_FOUND', 'No document is registered under this hash; send its text.');
  }

  /** @throws GraphQLError, AppError RATE_LIMITED */
  async function pay(points: number, { keyId, plan }: Caller): Promise<Operation['cost']> {
    const terms = planOf(plan).graphql;
    if (points > terms.ceiling) throw beyond('COST_TOO_HIGH', 'points of cost', points, terms.ceiling);
    const { allowed, remaining } = await rateLimiter.spend(keyId, terms, points);
    if (!allowed) throw tooSoon(points - remaining, terms);
    return { requested: points, remaining, restoreRate: perSecond(terms) };
  }

  return async (request, caller) => {
    try {
      const { operationName, variables } = request;
      const examined = examine({ query: await textOf(request, caller), operationName, variables });
      if (isRefused(examined)) return examined;
      const { document, operation } = examined;
      const cost = await pay(examined.cost, caller);
      return { schema, document, operationName, variableValues: variables, type: operation.operation, cost };
    } catch (error) {
      if (error instanceof GraphQLError) return [error];
      if (error instanceof AppError) return [failureOf(error)];
      throw error;
    }
  };
}

const refusal = (code: string, message: string): GraphQLError => new GraphQLError(message, { extensions: { code } });

function tooSoon(missing: number, terms: CostTerms): AppError {
  const retryAfterSeconds = Math.ceil(missing / perSecond(terms));
  return new AppError('RATE_LIMITED', `This key has spent what its operations may cost for now; try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
}

const perSecond = ({ perMinute }: CostTerms): number => (perMinute * SECOND_MS) / MINUTE_MS;

function unreachable(cause: unknown): never {
  const message = 'Trusted documents cannot be looked up right now; try again in a moment.';
  throw new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 2 }, { cause });
}
