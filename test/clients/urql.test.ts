import { readFileSync } from 'node:fs';
import { Client, type ClientOptions, CombinedError, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { introspectionFromSchema } from 'graphql';
import { describe, expect, inject, it, vi } from 'vitest';
import { keys } from '../../clients/typescript/src/graphcache.ts';
import { ROOT } from './command.ts';
import { createMonitor, DELIVERIES } from './monitor.ts';
import { CHILEAN, DEBARRED, FOREIGN_OWNED, PORTFOLIO, PORTFOLIO_DETAIL, SANCTIONED } from './portfolio.ts';
import { schema } from './schema.ts';

const url = `${inject('url')}/graphql`;

const EVERYTHING = readFileSync(`${ROOT}/schema/operations/everything.graphql`, 'utf8');

/** Objects with an id, of which none is selected: lists, parts of parts, and the company itself. */
const WITHOUT_IDS = /* GraphQL */ `
  query WithoutIds($identifier: String!) {
    company(identifier: $identifier) {
      name
      owners { owners { name company { formattedIdentifier } } }
      debarment { records { sanctionType } }
      compliance { riskLevel checks { debarment { records { sanctionType } } sanctions { matches { entryName } } } }
    }
  }
`;

/** Answers as they came over HTTP. */
function recorded() {
  const answers: Response[] = [];
  const record: typeof fetch = async (...request) => {
    const answer = await fetch(...request);
    answers.push(answer);
    return answer;
  };
  return { answers, record };
}

const clientWith = (headers: Record<string, string> = {}, fetcher = fetch, options: Partial<ClientOptions> = {}) =>
  new Client({
    url,
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers: { 'x-api-key': inject('key'), ...headers } },
    fetch: fetcher,
    ...options,
  });

describe('@urql/core', () => {
  it('gets queries as JSON, with the status of a refusal, although it accepts event streams', async () => {
    const { answers, record } = recorded();
    const { data, error } = await clientWith({}, record).query(PORTFOLIO, { identifiers: [DEBARRED, CHILEAN] });
    expect(error).toBeUndefined();
    expect(data.companies).toMatchObject([{ debarment: { isDebarred: true } }, { country: 'CL', debarment: null }]);
    expect(answers[0]?.headers.get('content-type')).toMatch(/json/);

    const refused = await clientWith({ 'x-api-key': 'sk_unknown_key' }).query('{ apiKey { name } }', {});
    expect(refused.error).toBeInstanceOf(CombinedError);
    expect(refused.error?.response).toMatchObject({ status: 403 });
  });

  it('repeats an Idempotency-Key and is counted once', async () => {
    const used = async () => {
      const { data } = await clientWith().query('{ apiKey { usage { module used } } }', {}, { requestPolicy: 'network-only' });
      return data.apiKey.usage.find(({ module }: { module: string }) => module === 'LABOR').used;
    };
    const before = await used();
    for (const _ of ['first', 'repeated']) {
      const { data } = await clientWith({ 'idempotency-key': 'urql-1' }).query(
        `{ company(identifier: "${DEBARRED}") { labor { hasViolations } } }`,
        {},
      );
      expect(data.company.labor.hasViolations).toBe(false);
    }
    expect(await used()).toBe(before + 1);
  });

  it('makes 30 queries at once', async () => {
    const client = clientWith();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => client.query('{ apiKey { name } }', {}, { requestPolicy: 'network-only' })),
    );
    expect(answers.flatMap(({ error }) => error ?? [])).toEqual([]);
  });

  it('receives the events of a subscription as server-sent events', async () => {
    const client = clientWith({}, fetch, { fetchSubscriptions: true });
    const { monitorId, sendTest } = await createMonitor('urql');
    // It stays subscribed: urql leaves the rejection of a cancelled read unhandled in Node.
    const received = new Promise((resolve) => client.subscription(DELIVERIES, { monitorId }).subscribe(resolve));
    expect(await sendTest(received)).toMatchObject({ data: { deliveryUpdated: { id: expect.any(String) } } });
  });
});

describe('@urql/exchange-graphcache', () => {
  it('stores answers of the schema without a warning, and answers from them', async () => {
    const warn = vi.spyOn(console, 'warn');
    const { answers, record } = recorded();
    const cache = cacheExchange({ schema: introspectionFromSchema(schema) as never, keys });
    const client = clientWith({}, record, { exchanges: [cache, fetchExchange] });
    const variables = { identifiers: [DEBARRED, SANCTIONED, FOREIGN_OWNED] };
    const first = await client.query(PORTFOLIO, variables);
    expect(first.error).toBeUndefined();
    expect((await client.query(PORTFOLIO_DETAIL, variables)).error).toBeUndefined();
    const again = await client.query(PORTFOLIO, variables);
    expect(again.data).toEqual(first.data);
    expect(answers).toHaveLength(2);
    expect(warn).not.toHaveBeenCalled();
  });

  it('stores the operation that selects every field of a company, and one without any id, without a warning', async () => {
    const warn = vi.spyOn(console, 'warn');
    const client = clientWith({}, fetch, { exchanges: [cacheExchange({ keys }), fetchExchange] });
    for (const query of [EVERYTHING, WITHOUT_IDS]) {
      const { data } = await client.query(query, { identifier: DEBARRED, first: 2 });
      expect(data.company.owners.owners).not.toEqual([]);
    }
    expect(warn.mock.calls).toEqual([]);
  });
});
