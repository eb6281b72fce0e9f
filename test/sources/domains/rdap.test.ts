import { describe, expect, it } from 'vitest';
import { rdap } from '../../../src/sources/domains/rdap.ts';
import { sampleJson } from '../../support/samples.ts';
import { liveSource } from '../../support/sources.ts';
import { type Reply, upstream } from '../../support/upstream.ts';

const ASKED = 'exemplo.com.br';

const contact = { objectClassName: 'entity', handle: 'FAD1', roles: ['technical'], vcardArray: ['vcard', [['fn', {}, 'text', 'Fulana']]] };
const registrant = (more: object) => ({
  objectClassName: 'entity',
  handle: '47686555000100',
  roles: ['registrant'],
  vcardArray: [
    'vcard',
    [
      ['version', {}, 'text', '4.0'],
      ['fn', {}, 'text', ' Momentum Empreendimentos Ltda. '],
    ],
  ],
  publicIds: [{ type: 'cnpj', identifier: '47.686.555/0001-00' }],
  entities: [contact],
  ...more,
});
const domain = (entities: unknown, more: object = {}) => ({
  body: {
    rdapConformance: ['rdap_level_0'],
    objectClassName: 'domain',
    ldhName: ASKED,
    publicIds: [{ type: 'ticket', identifier: '1' }],
    entities,
    ...more,
  },
});

async function ask(reply: Reply, name = ASKED) {
  const registry = await upstream(() => reply);
  const source = liveSource(rdap, { QUIPU_RDAP_BR_URL: `${registry.url}/` });
  return { registry, source, registrant: () => source.registrant(name) };
}

const holder = async (reply: Reply) => (await ask(reply)).registrant();
const MOMENTUM = { kind: 'company', cnpj: '47686555000100', name: 'Momentum Empreendimentos Ltda.' };

describe('the registrant of a .br domain', () => {
  it('is requested by domain and found by its role, whatever its position', async () => {
    const { registry, registrant: read } = await ask(domain([contact, registrant({})]));
    expect(await read()).toEqual(MOMENTUM);
    expect(registry.asked).toEqual([`/domain/${ASKED}`]);
  });

  it.each([
    ['nested in another entity', domain([{ ...contact, entities: [registrant({})] }])],
    [
      'given as one object in place of a list',
      domain(registrant({ roles: 'registrant', publicIds: { type: 'CNPJ', identifier: '47.686.555/0001-00' } })),
    ],
    ['known by its handle alone', domain([registrant({ publicIds: undefined })])],
    ['in capitals', domain([registrant({})], { ldhName: 'EXEMPLO.COM.BR' })],
  ])('is found %s', async (_, reply) => {
    expect(await holder(reply)).toEqual(MOMENTUM);
  });

  it('may have a CNPJ with letters, and no name', async () => {
    for (const vcardArray of [undefined, null, ['vcard', []], ['vcard', [['fn', {}, 'text', ' ']]]]) {
      const letters = registrant({ publicIds: [{ type: 'cnpj', identifier: '12.ABC.345/01DE-35' }], vcardArray });
      expect(await holder(domain([letters]))).toEqual({ kind: 'company', cnpj: '12ABC34501DE35', name: null });
    }
  });

  it('is a person when it has a CPF, which is not returned', async () => {
    const person = registrant({ handle: '11144477735', publicIds: [{ type: 'cpf', identifier: '111.444.777-35' }] });
    expect(await holder(domain([person]))).toEqual({ kind: 'person' });
  });

  it.each([
    ['no public id and a handle of another kind', domain([registrant({ handle: 'MOEMP', publicIds: [] })])],
    ['nothing but its role', domain([{ roles: ['registrant'] }])],
    ['no handle', domain([registrant({ handle: null, publicIds: null })])],
    ['a handle whose check digits are wrong', domain([registrant({ handle: '47686555000101', publicIds: [] })])],
    ['no registrant', domain([contact])],
    ['no entities', domain(undefined)],
  ])('is hidden with %s', async (_, reply) => {
    expect(await holder(reply)).toEqual({ kind: 'hidden' });
  });

  it('is none only when the registry itself answers that the domain is not registered', async () => {
    expect(await holder({ status: 404, body: { errorCode: 404, title: 'Not Found', description: ['no'] } })).toEqual({ kind: 'none' });
  });

  it.each([
    ['a block', { status: 403, body: '<html>' }],
    ['a request to slow down', { status: 429, body: 'Too Many Requests' }],
    ['a malformed name', { status: 400, body: { errorCode: 400 } }],
    ['trouble', { status: 500, body: '' }],
    ["a proxy's 404", { status: 404, body: '<html>' }],
    ['a 404 of another shape', { status: 404, body: {} }],
    ['an empty answer', { body: '' }],
    ['another object', { body: { objectClassName: 'entity', ldhName: ASKED } }],
    ['another shape', { body: {} }],
    ['another domain', domain([registrant({})], { ldhName: 'outro.com.br' })],
    ['an empty CNPJ', domain([registrant({ publicIds: [{ type: 'cnpj', identifier: '' }] })])],
    ['a wrong CNPJ', domain([registrant({ publicIds: [{ type: 'cnpj', identifier: '47.686.555/0001-01' }] })])],
    ['entities of another shape', domain('none')],
  ])('UP-03 is a failure, not an absence, for %s', async (_, reply) => {
    const { source, registrant: read } = await ask(reply);
    await expect(read()).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', facts: { source: 'rdap' } });
    expect(await source.status()).toMatchObject({ name: 'rdap', kind: 'live', origin: 'given', lastSuccessAt: null, usable: true });
  });

  it('is requested at most twice concurrently', async () => {
    const held: (() => void)[] = [];
    const registry = await upstream(() => (_, response) => held.push(() => response.end(JSON.stringify(domain([registrant({})]).body))));
    const source = liveSource(rdap, { QUIPU_RDAP_BR_URL: registry.url });
    const answers = Promise.all([1, 2, 3, 4].map(() => source.registrant(ASKED)));
    await expect.poll(() => registry.open()).toBe(2);
    expect(registry.asked).toHaveLength(2);
    while (registry.asked.length < 4 || held.length > 0) {
      held.shift()?.();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await answers).toHaveLength(4);
  });

  it('is read from a recorded response', async () => {
    const recorded = sampleJson('brazil/rdap_whois/rdap_domain.COMPOSED.json');
    const { registrant: read } = await ask({ body: recorded }, 'exemplo-composto.com.br');
    expect(await read()).toEqual({ kind: 'company', cnpj: '47686555000100', name: 'Momentum Empreendimentos Imobiliários Ltda.' });
  });
});
