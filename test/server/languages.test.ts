import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { colombianByScenario } from '../../sandbox/world/colombia.ts';
import { modules } from '../../src/modules/index.ts';
import { englishIn } from '../support/english.ts';
import { urlOf } from '../support/route-urls.ts';
import { bothPaths, type Pair, pairOf, plainHeaders, plansOf, type Seen, withHeaders } from './short-path/support.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await pairOf({ QUIPU_PLANS: plansOf({}) });
});
afterAll(() => pair.close());

const WRONG = { identifier: '11.222.333/0001-82', country: 'BR' };
const CHECK_DIGITS = {
  en: 'The check digits of this CNPJ should be 81, not 82.',
  es: 'Los dígitos verificadores de este CNPJ deberían ser 81, no 82.',
  pt: 'Os dígitos verificadores deste CNPJ deveriam ser 81, e não 82.',
};

type Sending = {
  readonly path?: string;
  readonly key?: string;
  readonly language?: string | undefined;
  readonly own?: Record<string, string>;
};

/** A JSON POST as it is sent. */
const sentOf = (body: unknown, { path = '/v1/kyb', key = pair.short.app.key, language, own }: Sending = {}) =>
  withHeaders({ path, body: JSON.stringify(body), headers: plainHeaders(key) }, { 'accept-language': language, ...own });

const post = (body: unknown, options?: Sending): Promise<Seen> => pair.short.send(sentOf(body, options));
const query = (text: string, options?: Sending): Promise<Seen> => post({ query: text }, { path: '/graphql', ...options });
const read = ({ body }: Seen) => JSON.parse(body);

const headerOf = ({ headers }: Seen, name: string): string | undefined => {
  const at = headers.findIndex((header, i) => i % 2 === 0 && header.toLowerCase() === name);
  return at === -1 ? undefined : headers[at + 1];
};

const LANGUAGE_HEADERS: readonly (readonly [header: string | undefined, language: 'en' | 'es' | 'pt'])[] = [
  [undefined, 'en'],
  ['*', 'en'],
  ['en', 'en'],
  ['en-US,en;q=0.9', 'en'],
  ['fr', 'en'],
  ['es', 'es'],
  ['es-CL', 'es'],
  ['ES-419,es;q=0.9,en;q=0.8', 'es'],
  ['pt-BR,pt;q=0.9,en-US;q=0.8', 'pt'],
  ['fr, pt;q=0.7, es;q=0.3', 'pt'],
  ['en;q=0.1, es;q=0.5', 'es'],
  ['es;q=0, pt', 'pt'],
  [',;=q', 'en'],
];

describe('the language of a request', () => {
  it.each(LANGUAGE_HEADERS)('by Accept-Language: %s is %s', async (language, expected) => {
    const rest = await post(WRONG, { language });
    const { title, detail, code, errors } = read(rest);
    const text = CHECK_DIGITS[expected];
    expect([detail, code, errors]).toEqual([text, 'invalid_input', [{ field: 'identifier', message: text }]]);
    expect(title).toBe({ en: 'Invalid input', es: 'Datos no válidos', pt: 'Dados inválidos' }[expected]);
    const graphql = await query('{ company(identifier: "11.222.333/0001-82") { id } }', { language });
    expect(read(graphql).errors).toMatchObject([{ message: text, extensions: { code: 'INVALID_INPUT', field: 'identifier' } }]);
    const shown = expected === 'en' ? undefined : expected;
    expect([rest, graphql].map((seen) => headerOf(seen, 'content-language'))).toEqual([shown, shown]);
    expect([rest, graphql].map((seen) => headerOf(seen, 'vary'))).toEqual(Array(2).fill(shown ? 'Origin, Accept-Language' : 'Origin'));
  });

  it('leaves answers without the header, and in English, as they are on both paths', async () => {
    for (const language of [undefined, '*', 'en-US,en;q=0.9']) {
      const { short, full, isShort } = await bothPaths(pair, sentOf({ identifier: '00000000000191', country: 'BR' }, { language }));
      expect(short).toEqual(full);
      expect(isShort).toBe(true);
    }
  });

  it('sends other languages over the full path, with the same answer', async () => {
    const { short, full, isShort } = await bothPaths(pair, sentOf({ identifier: '00000000000191', country: 'BR' }, { language: 'es' }));
    expect(short).toEqual(full);
    expect(isShort).toBe(false);
  });
});

describe('an error in Spanish and Portuguese', () => {
  const routes = modules.flatMap((module) => module.routes);
  const BODIES: readonly unknown[] = [
    {},
    [],
    { identifier: 1.5, country: 7 },
    { identifier: '1', country: 'XX', limit: 0, after: 3 },
    { cnpj: '' },
  ];

  it.each(routes)('has no English word for wrong input to $method $path', async ({ method, path }) => {
    for (const language of ['es', 'pt-BR']) {
      for (const body of BODIES) {
        const url = urlOf(path, 'mon_00000000000000000000000000000001');
        const sent = sentOf(body, {
          path: method === 'GET' ? `${url}?limit=0&month=x&status=x&fields=x&after=${'9'.repeat(300)}` : url,
          language,
        });
        const seen = await pair.short.send({ ...sent, method });
        if (seen.status === 200 || !headerOf(seen, 'content-type')?.includes('json')) continue;
        const { title, detail, errors = [] } = read(seen);
        const texts = [title, ...(errors.length > 0 ? errors.map(({ message }: { message: string }) => message) : [detail])];
        expect(texts.filter((text: string) => englishIn(text).length > 0)).toEqual([]);
      }
    }
  });

  it.each<[string, () => Promise<Seen>, string, string]>([
    ['a missing key', () => post({}, { key: '', language: 'es' }), 'missing_api_key', 'Envíe su clave de API'],
    ['an unknown key', () => post({}, { key: 'sk_unknown', language: 'pt' }), 'invalid_api_key', 'Esta chave de API não é válida'],
    [
      'an unknown path',
      () => post({}, { path: '/v1/kib', language: 'es' }),
      'not_found',
      'No hay nada en esta ruta. ¿Quiso decir /v1/kyb?',
    ],
    [
      'a body that is no JSON',
      () => pair.short.send({ ...sentOf({}, { language: 'es' }), body: '{' }),
      'malformed_body',
      'El cuerpo no es JSON',
    ],
    [
      'a method',
      () => pair.short.send({ ...sentOf({}, { language: 'pt' }), method: 'DELETE' }),
      'method_not_allowed',
      'Este caminho só responde',
    ],
    [
      'another country',
      () => post({ identifier: '1', country: 'AR' }, { language: 'es' }),
      'unsupported_country',
      'Situación registral (KYB): solo para',
    ],
  ])('is that of %s', async (_, send, code, text) => {
    const problem = read(await send());
    expect(problem).toMatchObject({ code, detail: expect.stringContaining(text) });
    expect(englishIn(`${problem.title} ${problem.detail}`)).toEqual([]);
  });

  it('is that of a module that the key does not have, on each field', async () => {
    const key = await pair.short.app.keyFor('kyb');
    const { errors } = read(await query('{ company(identifier: "00000000000191") { labor { hasViolations } } }', { key, language: 'es' }));
    expect(errors).toMatchObject([
      {
        message: 'El módulo «Trabajo forzoso» no está habilitado en esta clave de API.',
        extensions: { code: 'MODULE_NOT_ENABLED', module: 'LABOR' },
      },
    ]);
  });

  it.each([
    [
      'a limit',
      `{ company(identifier: "00000000000191") { ${Array.from({ length: 20 }, (_, i) => `a${i}: id`).join(' ')} } }`,
      'Esta operación tiene 20 alias; el máximo es 15.',
    ],
    ['a page', '{ monitors(first: 1000) { nodes { id } } }', 'Pida de 1 a 100 elementos a la vez.'],
    ['a cursor', '{ monitors(after: "x") { nodes { id } } }', 'Este no es un cursor de esta conexión.'],
  ])('is that of %s of an operation', async (_, text, message) => {
    expect(read(await query(text, { language: 'es' })).errors).toMatchObject([{ message }]);
  });

  it.each<[kind: string, code: string, send: (language?: string) => Promise<Seen>]>([
    ['syntax', 'GRAPHQL_PARSE_FAILED', (language) => query('{', { language })],
    ['a field that does not exist', 'GRAPHQL_VALIDATION_FAILED', (language) => query('{ nothing }', { language })],
    ['many such fields', 'TOO_MANY_VALIDATION_ERRORS', (language) => query('{ n1 n2 n3 n4 n5 n6 n7 }', { language })],
    ['a variable', 'BAD_USER_INPUT', (language) => query('query ($id: String!) { company(identifier: $id) { id } }', { language })],
  ])('of the engine about %s has a sentence by its code, and the English one beside it', async (_, code, send) => {
    const errorIn = async (language?: string) =>
      read(await send(language)).errors.find((one: { extensions: { code: string } }) => one.extensions.code === code);
    const english = await errorIn();
    expect(english.extensions).not.toHaveProperty('englishMessage');
    const texts: string[] = [english.message];
    for (const language of ['es', 'pt']) {
      const { message, extensions } = await errorIn(language);
      expect(extensions.englishMessage).toBe(english.message);
      expect(englishIn(message)).toEqual([]);
      texts.push(message);
    }
    expect(new Set(texts).size).toBe(3);
  });

  it('keeps the text of an error that clients compare', async () => {
    const body = { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } };
    const { errors } = read(await post(body, { path: '/graphql', language: 'es' }));
    expect(errors).toMatchObject([{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }]);
  });

  it('is written for the language of the upgrade request of a socket', async () => {
    const socket = new WebSocket(pair.short.url.replace('http', 'ws').concat('/graphql'), 'graphql-transport-ws', {
      headers: { 'x-api-key': pair.short.app.key, 'accept-language': 'pt-BR' },
    });
    await once(socket, 'open');
    const messages: unknown[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    socket.send(JSON.stringify({ type: 'connection_init' }));
    await expect.poll(() => messages).toContainEqual(expect.objectContaining({ type: 'connection_ack' }));
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: '{ company(identifier: "11.222.333/0001-82") { id } }' } }));
    await expect.poll(() => messages.length).toBeGreaterThan(2);
    socket.close();
    expect(messages).toContainEqual(
      expect.objectContaining({
        type: 'next',
        payload: expect.objectContaining({ errors: [expect.objectContaining({ message: CHECK_DIGITS.pt })] }),
      }),
    );
  });
});

describe('texts of a cached answer', () => {
  const { cnpj } = companyByScenario('debarred-ceis');
  const VERDICT = `{ company(identifier: "${cnpj}") { compliance { riskReasons { code message } checks { debarment { isDebarred } } } } }`;
  const EXPLAINED = `{ company(identifier: "${companyByScenario('homonym').cnpj}") { sanctions { possibleMatches { score explanation } } } }`;
  const LANGUAGES = ['es', undefined, 'pt', 'en', 'es', undefined, 'pt'];

  it('are those of each request, whatever language the answer was first requested in', async () => {
    const reasons: string[] = [];
    const explanations: string[] = [];
    for (const language of LANGUAGES) {
      const { compliance } = read(await query(VERDICT, { language })).data.company;
      reasons.push(compliance.riskReasons[0].message);
      const { sanctions } = read(await query(EXPLAINED, { language })).data.company;
      explanations.push(sanctions.possibleMatches[0].explanation);
    }
    const words = reasons.map((text) => /^1 (\S+ \S+) [«“]?CEIS/.exec(text)?.[1]);
    expect(words).toEqual(['registro en', 'record on', 'registro em', 'record on', 'registro en', 'record on', 'registro em']);
    const spanish = 'Mismas palabras: CONDOR, IMAGINARIO, TRADING. Formas jurídicas no consideradas: LTDA.';
    const english = 'Same words: CONDOR, IMAGINARIO, TRADING. Legal forms set aside: LTDA.';
    const portuguese = 'Mesmas palavras: CONDOR, IMAGINARIO, TRADING. Formas jurídicas não consideradas: LTDA.';
    expect(explanations).toEqual([spanish, english, portuguese, english, spanish, english, portuguese]);
  });

  it('are equal over REST and GraphQL', async () => {
    for (const language of LANGUAGES) {
      const rest = read(await post({ cnpj }, { path: '/v1/compliance-br', language })).risk_reasons;
      const graphql = read(await query(VERDICT, { language })).data.company.compliance.riskReasons;
      expect(rest).toEqual(graphql.map(({ message }: { message: string }) => `debarment.record: ${message}`));
    }
  });

  it('are those of the coverage of contract fines, alone and within a consolidated check', async () => {
    const identifier = colombianByScenario('co-fined').nit;
    const fined = `{ company(identifier: "${identifier}", country: CO) { contractFines { coverage } compliance { checks { contractFines { coverage } } } } }`;
    const begins = {
      es: /^Las entidades públicas publican pocas/,
      pt: /^Os órgãos públicos publicam poucas/,
      en: /^Public bodies publish few/,
    };
    for (const language of LANGUAGES) {
      const { contractFines, compliance } = read(await query(fined, { language })).data.company;
      const company = { identifier, country: 'CO' };
      const texts = [
        contractFines.coverage,
        compliance.checks.contractFines.coverage,
        read(await post(company, { path: '/v1/contract-fines', language })).coverage,
        read(await post(company, { path: '/v1/compliance', language })).checks.contract_fines.coverage,
      ];
      for (const text of texts) expect(text).toMatch(begins[(language ?? 'en') as keyof typeof begins]);
    }
  });

  it('are those of the first request under an Idempotency-Key', async () => {
    const own = { 'idempotency-key': 'one-language' };
    const first = await post({ cnpj }, { path: '/v1/compliance-br', language: 'es', own });
    const second = await post({ cnpj }, { path: '/v1/compliance-br', language: 'pt', own });
    expect(read(second).risk_reasons).toEqual(read(first).risk_reasons);
    expect(headerOf(second, 'idempotent-replayed')).toBe('true');
  });
});
