import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acme } from '../../sources/receita-answers.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { cnpjOf, cnpjsFrom } from '../../support/made-up-cnpjs.ts';
import { startUpstream, type Upstream } from '../../support/upstream.ts';

/* Rows without a readable id, by names that are spelled otherwise than in the registry: https://github.com/cuducos/minha-receita/issues/216 */

const HEADER =
  'CADASTRO;CÓDIGO DA SANÇÃO;TIPO DE PESSOA;CPF OU CNPJ DO SANCIONADO;NOME DO SANCIONADO;NÚMERO DO PROCESSO;CATEGORIA DA SANÇÃO;DATA INÍCIO SANÇÃO;DATA FINAL SANÇÃO;ÓRGÃO SANCIONADOR';
const row = (document: string, name: string, i: number) => `CEIS;${i};J;${document};${name};P;Suspensão;28/02/2024;;Prefeitura`;
const PRINTED = [
  'CONSTRUÃ§Ã£o SÃ£o JoÃ£o Ltda',
  'MARIA INVENTADA',
  'PADARIA JOS? AL?PIO LTDA',
  'FULANO DE TAL ME (ANTIGA KORIMATA OBRAS LTDA)',
  'SICRANO LTDA - NOME FANTASIA: NORVALIA PISCINAS',
  'SICRANO E FILHOS LTDA d/b/a VYDUMKA FRETES',
  'TIPIKA MOVEIS (KALTEX LUSTRES LTDA)',
];

const [broken, trader, newTrader, lost, asterisks, punctuation, similar, maskedTrader] = cnpjsFrom(81_000_000, 8) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
/** Companies that a printed name states beside the first one. */
const STATED = [
  ['a former name', cnpjOf(81_000_010), 'KORIMATA OBRAS LTDA'],
  ['a trade name', cnpjOf(81_000_011), 'NORVALIA PISCINAS EIRELI'],
  ['a name in English', cnpjOf(81_000_012), 'VYDUMKA FRETES SA'],
  ['a name in parentheses', cnpjOf(81_000_013), 'KALTEX LUSTRES LTDA'],
  ['the first one', cnpjOf(81_000_014), 'TIPIKA MOVEIS LTDA'],
] as const;
/** CPFs are made up. */
const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [broken]: { razao_social: 'CONSTRUÇÃO SÃO JOÃO LTDA' },
  [trader]: { razao_social: 'MARIA INVENTADA 01234567890' },
  [maskedTrader]: { razao_social: 'MARIA INVENTADA ***34567***' },
  [newTrader]: { razao_social: '81.000.002 MARIA INVENTADA' },
  [lost]: { razao_social: 'PADARIA JOSÉ ALÍPIO LTDA' },
  [asterisks]: { razao_social: 'OFICINA DO VALE LTDA', nome_fantasia: '********' },
  [punctuation]: { razao_social: '中国公司', nome_fantasia: '- -' },
  [similar]: { razao_social: 'CONSTRUÇÃO SANTA RITA LTDA', nome_fantasia: 'MARIA BONITA' },
  ...Object.fromEntries(STATED.map(([, cnpj, name]) => [cnpj, { razao_social: name }])),
};

let upstreams: Upstream & { close(): Promise<void> };
let app: TestApp;
beforeAll(async () => {
  const sound = cnpjsFrom(44_000_000, 900).map((cnpj, i) => row(cnpj, 'FICTICIA', i + 1));
  const ceis = [HEADER, ...sound, ...PRINTED.map((name, i) => row('', name, 1_000 + i))].join('\r\n');
  upstreams = await startUpstream((path) => {
    if (path.startsWith('/ceis')) return { body: Buffer.from(ceis, 'utf8') };
    const cnpj = path.slice('/receita/'.length);
    return { body: { ...acme, cnpj, ...NAMES[cnpj] } };
  });
  app = await testApp({ env: { QUIPU_CEIS_URL: `${upstreams.url}/ceis.csv`, QUIPU_RECEITA_URL: `${upstreams.url}/receita` } });
}, 120_000);
afterAll(async () => {
  await app?.close();
  await upstreams?.close();
});

const statusOf = async (identifier: string) => (await app.post('/v1/debarment', { identifier, country: 'BR' })).status;

describe('a row whose id cannot be read', () => {
  it.each<readonly [string, string]>([
    ['with its accents broken', broken],
    ['of a sole trader, whose CPF the registry has beside it', trader],
    ['of a sole trader, whose CPF the registry masks otherwise than the service', maskedTrader],
    ['of a sole trader, whose root the registry has beside it', newTrader],
    ['with letters lost', lost],
    ['that cannot be compared with that of the company', punctuation],
    ...STATED.map(([which, cnpj]): readonly [string, string] => [`that states others: ${which}`, cnpj]),
  ])('does not clear a company for a name %s', async (_, cnpj) => {
    expect(await statusOf(cnpj)).toBe(503);
  });

  it.each([
    ['a trade name of asterisks', asterisks],
    ['a name that has one word in common', similar],
  ])('is of no matter for a company with %s', async (_, cnpj) => {
    expect(await statusOf(cnpj)).toBe(200);
  });
});
