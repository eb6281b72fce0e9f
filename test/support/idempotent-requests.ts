import { companies } from '../../sandbox/world/brazil/world.ts';
import type { TestApp } from './app.ts';

/** Fields whose names have 1,000 characters each, so that an answer about all companies has more than 256 KiB. */
export const largeFields = Array.from({ length: 10 }, (_, i) => `${'x'.repeat(1000)}${i}: formattedIdentifier`).join(' ');
export const identifiers = JSON.stringify(companies.map(({ cnpj }) => cnpj));
/** Query that counts one answer of `labor` for each company of the sandbox. */
export const LARGE_QUERY = `{ companies(identifiers: ${identifiers}) { labor { hasViolations } ${largeFields} } }`;

/** Requests under an Idempotency-Key, and their counts. */
export const idempotentRequests = (appOf: () => TestApp) => ({
  async send(key: string, idem: string, body: unknown, url = '/v1/compliance-br') {
    const headers = { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': idem };
    const answer = await appOf().server.inject({ method: 'POST', url, headers, payload: JSON.stringify(body) });
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, body: JSON.parse(answer.body) };
  },
  /** Returns the rows of usage of an API key, which has one for each counted answer under an Idempotency-Key. */
  async rowsOf(key: string): Promise<number> {
    await appOf().drainUsage();
    const { rows } = await appOf().db.raw(
      'SELECT count(*)::int AS n FROM usage_events e JOIN api_key_secrets s ON s.key_id = e.key_id WHERE s.last_four = ?',
      [key.slice(-4)],
    );
    return rows[0].n;
  },
});
