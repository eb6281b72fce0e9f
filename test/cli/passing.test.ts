import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SubscriptionError, subscribe } from '../../clients/resume.js';
import { PASSING_CODES as ofTypeScriptClient } from '../../clients/typescript/src/generated/passing.ts';
import { PASSING_CODES as ofDashboard } from '../../dashboard/api/passing.ts';
import { ServerError } from '../../src/cli/client.ts';
import { type ErrorCode, PASSES, PASSING_CODES } from '../../src/domain/errors.ts';

const codes = Object.keys(PASSES) as ErrorCode[];

/** Ends each subscription with an error: the code is the path. */
const server = createServer((request, response) => {
  const error = { message: 'It ended.', extensions: { code: request.url?.slice(1) } };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`event: next\ndata: ${JSON.stringify({ errors: [error] })}\n\n`);
});

describe('the clients agree with the table of error codes about which errors pass', () => {
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));

  it('in the dashboard and in the TypeScript client', () => {
    expect([...ofDashboard]).toEqual(PASSING_CODES);
    expect(ofTypeScriptClient).toEqual(PASSING_CODES);
  });

  /** True where the script connects again after an error, false where it throws. */
  async function scriptRetries(code: string): Promise<boolean> {
    const ended = new AbortController();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${code}`;
    const events = subscribe({ url, query: '', headers: {}, signal: ended.signal, onRetry: () => ended.abort(new Error('again')) });
    const error: unknown = await events.next().catch((thrown: unknown) => thrown);
    return !(error instanceof SubscriptionError);
  }

  it.each([...codes, 'COST_TOO_HIGH', 'BAD_USER_INPUT', 'A_CODE_OF_A_LATER_VERSION'])(
    'in the script and on the command line: %s',
    async (code) => {
      const expected = PASSES[code as ErrorCode] ?? false;
      expect(new ServerError('It ended.', { code: code.toLowerCase(), status: 200 }).passes).toBe(expected);
      expect(await scriptRetries(code)).toBe(expected);
    },
  );

  it('and take an answer without a code by its status: it is one of something in between', () => {
    const passes = (status: number) => new ServerError('A page.', { status }).passes;
    expect([502, 503, 429, 400, 404].map(passes)).toEqual([true, true, true, false, false]);
    expect(new ServerError('No answer.').passes).toBe(true);
  });
});
