import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatCnpj } from '../../../src/domain/tax-id.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { ceis } from '../../../src/modules/debarment/source.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { partner } from '../../sources/receita-answers.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { type Reply, upstream } from '../../support/upstream.ts';
import { ceisFile, type Penalty } from './ceis-file.ts';
import { answer, node, testRegistry } from './registry.ts';
import { changeLog, cnpj, companiesOf, deleteMonitors, watch } from './support.ts';

/** Realistic sequences of the answers of a registry, and of the versions of a list, and the changes that they are. */

const NEVER = new AbortController().signal;
let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

/** Other fields of the answer about the company, or a reply in its place. */
type Said = { readonly reply: Reply } | Readonly<Record<string, unknown>>;

const TAX_ID = cnpj(0);
const FAILED: Said = { reply: { status: 502, body: {} } };
const ABSENT: Said = { reply: { status: 404, body: { message: `CNPJ ${formatCnpj(TAX_ID)} não encontrado.` } } };
const ANA = { ...partner, nome_socio: 'ANA DA CONCEIÇÃO', cnpj_cpf_do_socio: '***456789**' };
const BIA = { ...partner, nome_socio: 'BIA MODELO', cnpj_cpf_do_socio: '***000101**' };
const HOLDING = { ...partner, identificador_de_socio: 1, nome_socio: 'HOLDING MODELO LTDA', cnpj_cpf_do_socio: '11222333000181' };
const ALL = { qsa: [ANA, BIA, HOLDING] };
const withoutDocuments = (rows: readonly object[]) => rows.map((row) => ({ ...row, cnpj_cpf_do_socio: '' }));
const CLOSED = { situacao_cadastral: 8, descricao_situacao_cadastral: 'BAIXADA' };
const CODED = { cnae_fiscal: 1091102, cnae_fiscal_descricao: 'Fabricação de produtos de padaria' };
const SHORT_OF_MONEY = { situacao_especial: 'RECUPERACAO JUDICIAL' };

it.each<[string, readonly Said[], readonly string[]]>([
  ['failures between equal answers', [ALL, FAILED, ALL, FAILED, FAILED, ALL], []],
  [
    'malformed answers',
    [ALL, { reply: { body: [] } }, { cnpj: cnpj(1) }, { situacao_cadastral: 2, descricao_situacao_cadastral: 'BAIXADA' }, ALL],
    [],
  ],
  ['partners in another order', [ALL, { qsa: [HOLDING, BIA, ANA] }, ALL], []],
  [
    'partners in another encoding',
    [
      ALL,
      { qsa: [{ ...ANA, nome_socio: 'ANA DA CONCEIÃ‡ÃƒO' }, BIA, HOLDING] },
      { qsa: [{ ...ANA, nome_socio: 'ANA DA CONCEI??O' }, BIA, HOLDING] },
      ALL,
    ],
    [],
  ],
  ['partners without documents', [ALL, { qsa: withoutDocuments(ALL.qsa) }, ALL], []],
  ['partners whose documents become known', [{ qsa: withoutDocuments(ALL.qsa) }, ALL, { qsa: withoutDocuments(ALL.qsa) }, ALL], []],
  [
    'a partner who left while the documents were unknown',
    [ALL, { qsa: withoutDocuments([ANA, HOLDING]) }, { qsa: [ANA, HOLDING] }],
    ['owners: BIA MODELO (***000101**) → null'],
  ],
  [
    'another partner of the same name, after the documents became known',
    [
      { qsa: withoutDocuments([ANA]) },
      { qsa: [ANA] },
      { qsa: withoutDocuments([ANA]) },
      { qsa: [{ ...ANA, cnpj_cpf_do_socio: '***111111**' }] },
    ],
    ['owners: ANA DA CONCEIÇÃO (***456789**) → ANA DA CONCEIÇÃO (***111111**)'],
  ],
  [
    'partners who are unknown, and then others',
    [ALL, { qsa: withoutDocuments([{ ...ANA, nome_socio: '' }]) }, { qsa: [ANA, HOLDING] }],
    ['owners: BIA MODELO (***000101**) → null'],
  ],
  [
    'a capital that is unknown for a time',
    [{ capital_social: 1000 }, { capital_social: null }, { capital_social: 999999999999 }, { capital_social: 1000 }],
    [],
  ],
  [
    'a capital that is unknown, and then another one',
    [{ capital_social: 1000 }, { capital_social: null }, { capital_social: 2000 }],
    ['capital: 1000 → 2000'],
  ],
  [
    'a municipality that is unknown, and then another one',
    [{}, { municipio: '' }, {}, { municipio: null }, { municipio: 'MACAPA' }],
    ['address: MAZAGAO/AP → MACAPA/AP'],
  ],
  ['a special situation with blanks', [{ situacao_especial: '' }, { situacao_especial: null }, { situacao_especial: ' ' }], []],
  [
    'a name in another case and encoding',
    [{ razao_social: 'PADARIA SÃO JOÃO LTDA' }, { razao_social: 'Padaria Sao  Joao Ltda' }, { razao_social: 'PADARIA S?O JO?O LTDA' }],
    [],
  ],
  [
    'an activity with other words for its code',
    [
      CODED,
      { ...CODED, cnae_fiscal_descricao: 'FABRICACAO DE PRODUTOS DE PADARIA' },
      { ...CODED, cnae_fiscal: '1091-1/02', cnae_fiscal_descricao: null },
      CODED,
    ],
    [],
  ],
  ['a size that is missing once', [{}, { porte: '', codigo_porte: null }, {}], []],
  ['an absence that is not confirmed', [ALL, ABSENT, ALL, ABSENT, FAILED, ALL], []],
  [
    'a confirmed absence, and a return with other partners',
    [ALL, ABSENT, ABSENT, FAILED, { qsa: [ANA, HOLDING] }],
    [
      'status: active → not_found, size: small → null, activity: Padaria → null',
      'status: not_found → active, size: null → small, activity: null → Padaria, owners: BIA MODELO (***000101**) → null',
    ],
  ],
  ['a status that changes back', [{}, CLOSED, FAILED, {}], ['status: active → inactive', 'status: inactive → active']],
  [
    'a situation that ends, with a failure at the second check',
    [SHORT_OF_MONEY, {}, FAILED, {}],
    ['special_situation: RECUPERACAO JUDICIAL → null'],
  ],
  [
    'a situation that ends together with the company',
    [
      { ...ALL, ...SHORT_OF_MONEY },
      { ...CLOSED, qsa: [] },
      { ...CLOSED, qsa: [] },
    ],
    [
      'status: active → inactive, owners: ANA DA CONCEIÇÃO (***456789**); BIA MODELO (***000101**); HOLDING MODELO LTDA (11222333000181) → , special_situation: RECUPERACAO JUDICIAL → null',
    ],
  ],
])('of a registry: %s', async (_, answers, expected) => {
  await deleteMonitors(db.knex);
  const registry = await testRegistry();
  let now = Date.parse('2026-11-21T00:00:00Z');
  const { open } = node({ db: db.knex, registry, now: () => now });
  await watch(db.knex, companiesOf(1), { now });
  for (const said of answers) {
    const reply = 'reply' in said ? (said.reply as Reply) : { body: { ...answer(TAX_ID), ...said } };
    registry.says.set(TAX_ID, { reply });
    await open(monitorService).checks.check('BR', NEVER);
    now += 6 * HOUR_MS;
  }
  const texts = (await changeLog(db.knex)).map(({ fields }) => fields.map(({ field, from, to }) => `${field}: ${from} → ${to}`).join(', '));
  expect(texts).toEqual(expected);
});

const penalty = (code = '1', end = '10/01/2033'): Penalty => ({ cnpj: TAX_ID, code, end });
const OTHERS = Array.from({ length: 30 }, (_, n): Penalty => ({ cnpj: cnpj(100 + n), code: '1' }));
const [A, B] = [penalty('1'), penalty('2')];
/** Writes a file, with a replacement in its text. */
const file = (penalties: readonly Penalty[], from = '', to = ''): Buffer =>
  Buffer.from(
    ceisFile([...penalties, ...OTHERS])
      .toString('latin1')
      .replaceAll(from, to),
    'latin1',
  );

it.each<[string, readonly (Buffer | null)[], readonly string[]]>([
  ['rows in another order', [file([A, B]), file([B, A]), file([A, B])], []],
  ['failed downloads between equal versions', [file([A]), null, file([A]), null, null, file([A])], []],
  ['an entry that is added while downloads fail', [file([]), null, file([A]), null, file([A])], ['0 → 1']],
  ['an entry that leaves and returns', [file([A, B]), file([A]), file([A, B])], ['2 → 1', '1 → 2']],
  [
    'texts in another case, without accents and with other blanks',
    [file([A]), file([A], 'Suspensão', 'SUSPENSAO'), file([A], 'Prefeitura', 'PREFEITURA  '), file([A])],
    [],
  ],
  [
    'texts in another encoding',
    [file([A]), Buffer.from(file([A]).toString('latin1'), 'utf8'), file([A], 'Suspensão', 'SuspensÃ£o'), file([A])],
    [],
  ],
  ['a file without its rows', [file([A]), ceisFile([]), file([A])], []],
  ['another end of an entry', [file([A]), file([penalty('1', '11/01/2034')]), file([penalty('1', '11/01/2034')])], ['1 → 1']],
])('of a list: %s', async (_, versions, expected) => {
  await db.knex.raw(
    'TRUNCATE monitors, webhook_endpoints, watched_companies, changes, deliveries, endpoint_partitions, compared_lists, list_comparisons CASCADE',
  );
  const registry = await testRegistry();
  let now = Date.parse('2026-11-21T00:00:00Z');
  let body: Buffer | null = null;
  const publisher = await upstream(() => (body ? { body, headers: { 'content-type': 'text/csv' } } : { status: 503, body: '' }));
  const { open, use } = node({ db: db.knex, registry, now: () => now, addresses: { QUIPU_CEIS_URL: `${publisher.url}/ceis.csv` } });
  const { lists, checks } = open(monitorService);
  await watch(db.knex, companiesOf(1), { now });
  for (const version of versions) {
    body = version;
    await use(ceis).sync({ force: true });
    await checks.check('BR', NEVER);
    for (const list of await lists.pending()) await lists.compare(list, NEVER);
    now += 6 * HOUR_MS;
  }
  expect((await changeLog(db.knex)).map(({ fields }) => fields.map(({ from, to }) => `${from} → ${to}`).join(', '))).toEqual(expected);
});
