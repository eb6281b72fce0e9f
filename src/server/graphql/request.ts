import type { FastifyRequest } from 'fastify';
import type { OperationRequest } from './prepare-operation.ts';

/** The operation of a GET or POST; a sentence for one that cannot be read. */
export function readRequest({ method, query, body }: FastifyRequest): OperationRequest | string {
  if (method !== 'GET') return requestOf(body);
  const { variables, extensions, ...rest } = query as Readonly<Record<string, unknown>>;
  return requestOf({ ...rest, variables: readJson(variables), extensions: readJson(extensions) });
}

/** The operation of a body; a sentence for one that cannot be read. A hash may come as `documentId`, or as clients send persisted queries. */
export function requestOf(body: unknown): OperationRequest | string {
  if (!isObject(body)) return 'Send a JSON object.';
  const { query, documentId, operationName, variables, extensions } = body;
  if (!isMissing(query) && typeof query !== 'string') return '`query` is a text.';
  if (!isMissing(documentId) && typeof documentId !== 'string') return '`documentId` is a text.';
  if (!isMissing(operationName) && typeof operationName !== 'string') return '`operationName` is a text.';
  if (!isMissing(variables) && !isObject(variables)) return '`variables` is an object.';
  if (!isMissing(extensions) && !isObject(extensions)) return '`extensions` is an object.';
  const persisted = extensions?.persistedQuery;
  const hash = isObject(persisted) ? persisted.sha256Hash : undefined;
  if (hash !== undefined && typeof hash !== 'string') return '`sha256Hash` is a text.';
  return { query: query ?? undefined, documentId: documentId ?? hash, operationName, variables };
}

const isMissing = (value: unknown): value is undefined | null => value === undefined || value === null;

/** What is no JSON is left as it is, to be refused. */
function readJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
