import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Knex } from 'knex';
import { rutCheckDigit } from '../../../src/domain/tax-id.ts';
import { statusOf } from '../../../src/loaders/taxpayer.ts';
import type { Document } from '../../support/damage.ts';
import type { Subject } from '../../support/damage-oracle.ts';
import { siiOn } from '../sii/support.ts';
import { activities, names, nomina, numbers } from '../sii/tables.ts';

const NUMBERS = numbers(60);
const RUTS = NUMBERS.map((number) => number + rutCheckDigit(String(number)));
const table = (text: string): Document => ({ format: 'csv', status: 200, text: Buffer.from(text, 'latin1').toString('latin1') });

const hasEnded = (i: number): boolean => i % 3 === 0;

/** The files of the Chilean tax registry: a third of the companies have ended their activities, as both tables of companies state. */
export function sii(db: Knex, folder: string): Subject {
  return {
    name: 'sii',
    delimiter: '\t',
    decisive: /^(RUT|DV|A.o comercial|Fecha inicio.*|Fecha t.rmino.*|Fecha primera.*|FECHA.*|TIPO.*)$/i,
    // The first characters of a region are the number of another one.
    opaque: /^Regi/,
    mayBeEmpty: /^(Fecha|TIPO)/i,
    documents: {
      EMPRESAS: table(
        nomina(NUMBERS.map((number, i) => ({ number, ...(hasEnded(i) && { end: '2021-05-06', endKind: 'TERMINO DE GIRO' }) }))),
      ),
      NOMBRES: table(names(NUMBERS.map((number, i) => [number, `EMPRESA ${number}`, '01-06-2015', hasEnded(i) ? '06-05-2021' : '']))),
      ACTIVIDADES: table(activities(NUMBERS.map((number) => [number, '620200', 'CONSULTORIA']))),
    },
    async read(documents) {
      const place = await mkdtemp(path.join(folder, 'sii-'));
      const urls: Record<string, string> = {};
      for (const [name, { text }] of Object.entries(documents)) {
        urls[name] = pathToFileURL(path.join(place, `${name}.txt`)).href;
        await writeFile(path.join(place, `${name}.txt`), Buffer.from(text, 'latin1'));
      }
      await mkdir(path.join(place, 'downloads'));
      const copy = siiOn({ db, tempDir: path.join(place, 'downloads'), urls });
      const { outcome } = await copy.sync();
      if (outcome !== 'loaded') throw new Error(outcome);
      const { companies } = await copy.companies(RUTS);
      await db.raw('DELETE FROM registries');
      const judged = RUTS.map((rut) => {
        const record = companies.get(rut) ?? null;
        return [rut, { verdict: statusOf({ source: 'sii', record }), details: record }] as const;
      });
      return { answers: Object.fromEntries(judged) };
    },
  };
}
