import { createHash } from 'node:crypto';
import { ApolloClient, type ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client/core/index.js';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries/index.js';
import { describe, expect, inject, it, vi } from 'vitest';
import { possibleTypes, typePolicies } from '../../clients/typescript/src/apollo.ts';
import { CHILEAN, DEBARRED, FOREIGN_OWNED, PORTFOLIO, PORTFOLIO_DETAIL, SANCTIONED } from './portfolio.ts';

const PORTFOLIO_QUERY = gql(PORTFOLIO);
const DETAIL_QUERY = gql(PORTFOLIO_DETAIL);
const identifiers = [DEBARRED, SANCTIONED, FOREIGN_OWNED, CHILEAN];

/** Bodies of the requests, in their order. */
const sent: { query?: string; extensions?: object }[] = [];
const http = () =>
  new HttpLink({
    uri: `${inject('url')}/graphql`,
    headers: { 'x-api-key': inject('key') },
    fetch(address, init) {
      sent.push(JSON.parse(String(init?.body)));
      return fetch(address, init);
    },
  });
const clientWith = (link: ApolloLink) => new ApolloClient({ link, cache: new InMemoryCache({ typePolicies, possibleTypes }) });

describe('@apollo/client', () => {
  it('reads a list of companies of two countries under its default error policy', async () => {
    const { data } = await clientWith(http()).query({ query: PORTFOLIO_QUERY, variables: { identifiers } });
    expect(data).toMatchObject({
      companies: [{ debarment: { isDebarred: true } }, {}, {}, { country: 'CL', debarment: null }],
    });
  });

  it('merges two answers about a company in its cache without losing data, and answers from it', async () => {
    const warn = vi.spyOn(console, 'warn');
    const client = clientWith(http());
    const variables = { identifiers };
    const before = sent.length;
    const first = await client.query({ query: PORTFOLIO_QUERY, variables });
    const detail = await client.query({ query: DETAIL_QUERY, variables });
    expect((await client.query({ query: DETAIL_QUERY, variables })).data).toEqual(detail.data);
    const names = (data: unknown) => (data as { companies: { name: string }[] }).companies.map(({ name }) => name);
    const namesQuery = gql`query ($identifiers: [String!]!) { companies(identifiers: $identifiers) { id name kyb { status foundedYear } } }`;
    expect(names((await client.query({ query: namesQuery, variables })).data)).toEqual(names(first.data));
    expect(sent.length - before).toBe(2);
    expect(warn.mock.calls.filter(([text]) => String(text).includes('Cache data may be lost'))).toEqual([]);
  });

  it('falls back to whole queries when its persisted queries are not supported', async () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const client = clientWith(new PersistedQueryLink({ sha256 }).concat(http()));
    const before = sent.length;
    for (const name of ['first', 'second']) {
      const { data } = await client.query({ query: gql`{ apiKey { name plan } }`, fetchPolicy: 'network-only', context: { name } });
      expect(data).toMatchObject({ apiKey: { plan: 'standard' } });
    }
    const requests = sent.slice(before);
    expect(requests.map(({ query }) => query === undefined)).toEqual([true, false, false]);
  });
});
