import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nitCheckDigit } from '../../src/domain/tax-id.ts';
import { mercadopublico } from '../../src/modules/tenders/sources/mercadopublico/mercadopublico.ts';
import { pncp } from '../../src/modules/tenders/sources/pncp/pncp.ts';
import { secopii } from '../../src/modules/tenders/sources/secopii/secopii.ts';
import { rdap } from '../../src/sources/domains/rdap.ts';
import { receitaFederal } from '../../src/sources/receita-federal/receita-federal.ts';
import { RUES_ROW } from '../../src/sources/rues/row.ts';
import { rues } from '../../src/sources/rues/rues.ts';
import type { Source, SourceInstance } from '../../src/sources/source.ts';
import { expectShortTurns } from '../support/longest-turn.ts';
import { createLiveSource, outcome } from '../support/upstream-faults.ts';

const FIVE_MIB = 5 * 1024 * 1024;

/** A text of so many numbered pieces between a beginning and an end, or of 5 MiB, the most that is read. */
function text(beginning: string, piece: (i: number) => string, end: string, pieces = Number.POSITIVE_INFINITY): string {
  const parts = [beginning];
  for (let length = beginning.length, i = 0; i < pieces && length < FIVE_MIB - 100; i += 1) {
    const next = piece(i);
    parts.push(next);
    length += next.length;
  }
  return parts.join('') + end;
}

const CNPJ = '11222333000181';
const CNPJ_FIELDS =
  '"cnpj":"11222333000181","razao_social":"X","situacao_cadastral":2,"descricao_situacao_cadastral":"ATIVA","data_inicio_atividade":null';

/** JSON that is slow to parse, whoever reads it: as much as is read at all, and as many values as are read at all. */
const slowJson = (pieces?: number): Readonly<Record<string, string>> => ({
  'many keys': text('{', (i) => `"a${i}":0,`, '"z":0}', pieces),
  'many shapes': text('[', (i) => `{"a${i}":0},`, '0]', pieces && pieces / 2),
  nesting: '['.repeat(pieces ?? FIVE_MIB / 2 - 10) + ']'.repeat(pieces ?? FIVE_MIB / 2 - 10),
  'many objects': text('[', () => '{},', '{}]', pieces && pieces / 2),
});
const SLOW_JSON = {
  ...slowJson(),
  ...Object.fromEntries(Object.entries(slowJson(48_000)).map(([shape, body]) => [`not too ${shape}`, body])),
  'one long text': JSON.stringify({ message: '1'.repeat(FIVE_MIB - 100) }),
};

/** A hundred bare NITs, and rows of their companies that have every column of the Colombian register, with texts in the wrong charset. */
const NITS = Array.from({ length: 100 }, (_, i) => `${901_700_000 + i}`).map((base) => base + nitCheckDigit(base));
const ruesRow = (i: number, text = 'CAFÃ‰ NARIÃ‘O '): string => {
  const columns = Object.keys(RUES_ROW.shape).map((column) => [column, text]);
  const nit = NITS[i % NITS.length]?.slice(0, -1);
  return JSON.stringify({
    ...Object.fromEntries(columns),
    nit,
    numero_identificacion: nit,
    clase_identificacion: 'NIT',
    estado_matricula: 'ACTIVA',
    codigo_categoria_matricula: '01',
  });
};

/** A text that takes long to normalize, of the most characters of one text of an answer that are read. */
const LONG_CELL = 'A\u0301 1'.repeat(2_500);

/** Calls of each live source, and the answers that take its own reader longest. */
const LIVE_SOURCES: readonly {
  readonly source: Source<SourceInstance>;
  readonly call: (instance: never) => Promise<unknown>;
  readonly answers: Readonly<Record<string, string>>;
}[] = [
  {
    source: receitaFederal,
    call: (instance: ReturnType<(typeof receitaFederal)['create']>) => instance.company(CNPJ),
    answers: {
      'many wrong partners': text(`{${CNPJ_FIELDS},"qsa":[`, () => '{},', '{}]}', 24_000),
      'a name of 5 MiB': JSON.stringify({ ...JSON.parse(`{${CNPJ_FIELDS},"qsa":[]}`), razao_social: '123.456.789-0'.repeat(400_000) }),
    },
  },
  {
    source: rdap,
    call: (instance: ReturnType<(typeof rdap)['create']>) => instance.registrant('exemplo.com.br'),
    answers: {
      'many entities': text('{"objectClassName":"domain","ldhName":"exemplo.com.br","entities":[', () => '{},', '{}]}', 2_400),
      'too many entities': text('{"objectClassName":"domain","ldhName":"exemplo.com.br","entities":[', () => '{},', '{}]}'),
      'nested entities': `{"objectClassName":"domain","ldhName":"exemplo.com.br","entities":${'{"entities":['.repeat(2_000)}${']}'.repeat(2_000)}}`,
      'many roles': text('{"objectClassName":"domain","ldhName":"exemplo.com.br","entities":[{"roles":[', () => '"a",', '"a"]}]}'),
    },
  },
  {
    source: secopii,
    call: (instance: ReturnType<(typeof secopii)['create']>) => instance.search({ country: 'CO', keyword: 'agua', from: null, to: null }),
    answers: { 'many wrong rows': text('[', () => '{},', '{}]', 75_000) },
  },
  {
    source: rues,
    call: async (instance: ReturnType<(typeof rues)['create']>) => {
      const { findings } = await instance.companies(NITS);
      if (findings[0] instanceof Error) throw findings[0];
    },
    answers: {
      'many wrong rows': text('[', () => '{},', '{}]', 24_000),
      'many rows of another company': text('[', () => '{"nit":"800123456","clase_identificacion":"NIT"},', '{}]', 16_000),
      'many rows of one company': `[${Array(1_990).fill(ruesRow(0)).join()}]`,
      'as many rows as are read': `[${Array.from({ length: 1_990 }, (_, i) => ruesRow(i, 'CAFÃ‰ NARIÃ‘O '.repeat(3))).join()}]`,
      'a name of 5 MiB': `[${ruesRow(0).replace('CAFÃ', 'CAFÃ‰ 52.123.456'.repeat(250_000))}]`,
      'a state of 5 MiB': `[${ruesRow(0).replace('ACTIVA', 'A\u0301'.repeat(1_700_000))}]`,
      'many long documents': `[${Array(190)
        .fill(ruesRow(0).replace(/(?<="numero_identificacion":")\d+/, LONG_CELL))
        .join()}]`,
      'many long legal forms': `[${Array(190)
        .fill(ruesRow(0).replace(/(?<="organizacion_juridica":")[^"]+/, LONG_CELL))
        .join()}]`,
    },
  },
  {
    source: pncp,
    call: (instance: ReturnType<(typeof pncp)['create']>) => instance.search({ country: 'BR', keyword: 'agua', from: null, to: null }),
    answers: { 'many wrong rows': text('{"data":[', () => '{},', '{}],"totalRegistros":1,"totalPaginas":1}', 24_000) },
  },
  {
    source: mercadopublico,
    call: (instance: ReturnType<(typeof mercadopublico)['create']>) =>
      instance.search({ country: 'CL', keyword: 'agua', from: null, to: null }),
    answers: {
      'many wrong rows': text('{"Cantidad":1,"Listado":[', () => '{},', '{}]}', 35_000),
      'many rows': text(
        '{"Cantidad":1,"Listado":[',
        (i) => `{"CodigoExterno":"${i}","Nombre":" agua ","CodigoEstado":5,"FechaCierre":null},`,
        '{}]}',
        14_500,
      ),
    },
  },
] as never;

/** Shapes that are answers. */
const ANSWERED = new Set(['a name of 5 MiB', 'many entities', 'as many rows as are read', 'many long legal forms']);

/** Shapes that are read in slices, or whose long texts are cut, which took longer than 50 ms otherwise. */
const SLICED = new Set(['many rows of one company', 'as many rows as are read', 'many long documents', 'many long legal forms']);

describe('a live source', () => {
  const cases = LIVE_SOURCES.flatMap(({ source, call, answers }) =>
    Object.entries({ ...SLOW_JSON, ...answers }).map(([shape, body]) => ({ name: source.name, shape, source, call, body })),
  );

  it.each(cases)('$name reads $shape in short turns', async ({ name, shape, source, call, body }) => {
    const url = await serverOf(body);
    const work = async () => {
      const instance = createLiveSource(source, url);
      const result = await outcome(call(instance as never));
      await instance.close?.();
      if (!ANSWERED.has(shape)) expect(result).toBe('SOURCE_UNAVAILABLE');
    };
    await expectShortTurns(`${name}, ${shape}`, work, SLICED.has(shape) ? 50 : undefined);
  });
});

/** Serves one body to every request from a thread of its own, so that its work is not measured. */
async function serverOf(body: string): Promise<string> {
  const thread = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     const body = Buffer.from(workerData);
     const server = require('node:http').createServer((request, response) => {
       response.writeHead(200, { 'content-type': 'application/json' }).end(body);
     });
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true, workerData: body },
  );
  onTestFinished(async () => void (await thread.terminate()));
  const port = await new Promise((resolve) => thread.once('message', resolve));
  return `http://127.0.0.1:${port}`;
}
