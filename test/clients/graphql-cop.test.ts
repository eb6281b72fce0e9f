import { describe, expect, inject, it } from 'vitest';

/**
 * The twelve checks of graphql-cop (https://github.com/dolevf/graphql-cop). They are written again here because graphql-cop is a Python
 * program that npm cannot install. Each test is named after its check and sends the request that the check sends, with a valid key.
 */

const url = inject('url');
const key = { 'x-api-key': inject('key') };

interface Answer {
  readonly status: number;
  readonly text: string;
  /** The decoded body; null for one that is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer
  readonly body: any;
}

async function send(path: string, init: RequestInit): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, { ...init, headers: { ...key, ...init.headers } });
  const text = await answer.text();
  try {
    return { status: answer.status, text, body: JSON.parse(text) };
  } catch {
    return { status: answer.status, text, body: null };
  }
}
const post = (body: unknown) =>
  send('/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
/** POST without a key. */
const anonymous = (query: string) =>
  fetch(`${url}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) });

describe('the checks of graphql-cop: denial of service', () => {
  it('alias_overloading: 100 aliases of a field are refused', async () => {
    const aliases = Array.from({ length: 101 }, (_, i) => `alias${i}:__typename`).join(' ');
    const { body } = await post({ query: `query cop { ${aliases} }` });
    expect([body.data, body.errors]).toMatchObject([undefined, [{ extensions: { code: 'TOO_MANY_ROOT_FIELDS' } }]]);
  });

  it('batch_query: arrays of operations are refused', async () => {
    const { status, body } = await post(Array.from({ length: 10 }, () => ({ query: 'query cop { __typename }' })));
    expect([status, Array.isArray(body), body.data]).toEqual([400, false, undefined]);
  });

  it('directive_overloading: 10 directives on a field are refused without an error for each', async () => {
    const { body } = await post({ query: `query cop { __typename ${'@aa'.repeat(10)} }` });
    expect(body.data).toBeUndefined();
    expect(body.errors.length).toBeLessThan(10);
  });

  it('circular_query_introspection: nested introspection is refused', async () => {
    const types = (levels: number): string => (levels === 0 ? 'name' : `fields { type { ${types(levels - 1)} } }`);
    const { body } = await post({ query: `query cop { __schema { types { ${types(6)} } } }` });
    expect(body.data).toBeUndefined();
    expect(body.errors).toHaveLength(1);
  });

  it('field_duplication: 500 repetitions of a field are refused or answered once', async () => {
    const { status, body, text } = await post({ query: `query cop { ${'__typename\n'.repeat(500)} }` });
    expect(status).toBeLessThan(500);
    expect(text.length).toBeLessThan(2_000);
    expect(body.data ?? { __typename: 'Query' }).toEqual({ __typename: 'Query' });
  });
});

describe('the checks of graphql-cop: information leakage', () => {
  it('field_suggestions: only who may read the schema gets suggestions', async () => {
    const query = 'query cop { __schema { directive } }';
    expect((await post({ query })).text).toContain('Did you mean');
    expect(await (await anonymous(query)).text()).not.toMatch(/did you mean|directive/i);
  });

  it('introspection: the schema is public, documented and free of secrets; it needs a key', async () => {
    const query = 'query cop { __schema { types { name } } }';
    expect((await post({ query })).status).toBe(200);
    const answer = await anonymous(query);
    expect(answer.status).toBe(403);
  });

  it('detect_graphiql: the explorer holds no key and no data of its own', async () => {
    const { text } = await send('/graphql', { headers: { accept: 'text/html' } });
    expect(text).not.toContain(inject('key'));
    for (const path of ['/graphiql', '/playground', '/console', '/graphql/console', '/altair'])
      expect([path, (await send(path, { headers: { accept: 'text/html' } })).status]).toEqual([path, 404]);
  });

  it('trace_mode: no tracing of resolvers is returned', async () => {
    const { body } = await post({ query: 'query cop { __typename }' });
    expect(body.extensions?.tracing).toBeUndefined();
  });

  it('unhandled_error_detection: a malformed request returns no exception and no stack', async () => {
    const { status, text } = await post({ query: 'qwerty cop { abc }' });
    expect(status).toBe(400);
    expect(text).not.toMatch(/exception|stacktrace|node_modules|\.ts:/i);
  });
});

describe('the checks of graphql-cop: cross-site request forgery', () => {
  it('get_method_support and get_based_mutation: simple requests of other sites are refused, mutations by GET in any case', async () => {
    expect((await send('/graphql?query=query%20cop%20%7B__typename%7D', {})).status).toBe(400);
    const mutation = await send('/graphql?query=mutation%20cop%20%7B__typename%7D', { headers: { 'apollo-require-preflight': '1' } });
    expect([mutation.status, mutation.body?.data]).toEqual([405, undefined]);
  });

  it('post_based_csrf: forms are refused', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status, body } = await send('/graphql', { method: 'POST', headers, body: 'query=query%20cop%20%7B__typename%7D' });
    expect([status, body?.data]).toEqual([415, undefined]);
  });
});
