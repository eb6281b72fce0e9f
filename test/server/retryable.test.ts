import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import { subscribe } from '../../clients/typescript/src/event-stream.ts';
import { type ErrorCode, RETRYABLE } from '../../src/domain/errors.ts';

const codes = Object.keys(RETRYABLE) as ErrorCode[];

/** Ends each subscription with an error, whose code is the first part of the path. */
const server = createServer((request, response) => {
  const error = { message: 'It ended.', extensions: { code: request.url?.split('/')[1] } };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`event: next\ndata: ${JSON.stringify({ errors: [error] })}\n\n`);
});

describe('the client agrees with the table of error codes about which errors are retryable', () => {
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));

  /** True where the client connects again after an error, false where it throws the error. */
  async function connectsAgain(code: string): Promise<boolean> {
    const ended = new AbortController();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${code}`;
    const onRetry = () => ended.abort(new Error('again'));
    const error: unknown = await subscribe({ url }, { query: '' }, { signal: ended.signal, onRetry })
      .next()
      .catch((thrown: unknown) => thrown);
    return !(error instanceof QuipuError && error.code === code);
  }

  it.each([...codes, 'COST_TOO_HIGH', 'BAD_USER_INPUT', 'A_CODE_OF_A_LATER_VERSION', 'constructor'])(
    'when a subscription ends with %s',
    async (code) => {
      const expected = Object.hasOwn(RETRYABLE, code) && RETRYABLE[code as ErrorCode];
      expect(new QuipuError(code, 'It ended.', { status: 200 }).isRetryable).toBe(expected);
      expect(await connectsAgain(code)).toBe(expected);
    },
  );

  it('and takes an answer without a code by its status: it is one of something in between', () => {
    const isRetryable = (status: number) => new QuipuError('INVALID_ANSWER', 'A page.', { status }).isRetryable;
    expect([502, 503, 429, 400, 404].map(isRetryable)).toEqual([true, true, true, false, false]);
    expect(new QuipuError('NETWORK', 'No answer.').isRetryable).toBe(true);
  });
});
