import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createDb } from '../../src/db/knex.ts';
import { bringUpToDate } from '../../src/jobs/schema.ts';
import { importFolder } from '../../src/sources/receita-federal/copy/import.ts';
import { company, establishment, folderOf, monthOf, NOW, partner } from '../sources/receita-copy/support.ts';
import { memoryLog } from '../support/log.ts';
import { ownPostgres } from '../support/own-postgres.ts';

/** Values that the files have and that nothing may store, by what they are. */
const PLANTED = {
  'type of street': 'TRAVESSAPLANTADA',
  street: 'JACARANDAPLANTADO',
  'number of the house': '98765PLANTADO',
  complement: 'SALAPLANTADA',
  district: 'BAIRROPLANTADO',
  postcode: '01987654',
  phone: '987651234',
  'second phone': '976541238',
  fax: '32109876',
  'e-mail': 'fulana.plantada@example.com',
  'age band': 'FAIXAPLANTADA',
  'CPF in a name': '52998224725',
  'CPF of a partner': '11144477735',
  'CPF of a representative': '15350946056',
} as const;

const ROOT = '99100000';

/** A month with the planted values, some of them in lines that cannot be read. */
function plantedMonth() {
  const p = PLANTED;
  const planted = {
    ...{ 13: p['type of street'], 14: p.street, 15: p['number of the house'], 16: p.complement, 17: p.district, 18: p.postcode },
    ...{ 22: p.phone, 24: p['second phone'], 26: p.fax, 27: p['e-mail'] },
  };
  const month = monthOf(20);
  const person = { 3: p['CPF of a partner'], 7: p['CPF of a representative'], 8: 'REPRESENTANTE VISIVEL', 10: p['age band'] };
  const rowsOf = (rows: (typeof month)[string]) => rows as readonly (readonly string[])[];
  return {
    ...month,
    Empresas0: [company(ROOT, `NOMEVISIVEL DE TAL ${p['CPF in a name']}`).with(2, '2135'), ...rowsOf(month.Empresas0 ?? []).slice(1)],
    Estabelecimentos0: [
      establishment(ROOT, '0001', planted),
      establishment(ROOT, '0002', { ...planted, 5: 'XX' }), // its status cannot be read
      ...rowsOf(month.Estabelecimentos0 ?? []).slice(1),
    ],
    Socios0: [
      partner(ROOT, 'SOCIOVISIVEL DE TAL', person),
      partner(ROOT, 'OUTRO', { ...person, 1: '9' }),
      ...rowsOf(month.Socios0 ?? []).slice(1),
    ],
  };
}

/** Contents of all files of a folder and its subfolders: tables, indexes, the write-ahead log, the log. */
async function bytesOf(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return Buffer.concat(await Promise.all(files.map((file) => readFile(file).catch(() => Buffer.alloc(0))))); // Postgres may delete one
}

it('PR-04 an import writes no contact data, no age band and no complete CPF, neither into a file of a table nor into the write-ahead log', async () => {
  const { url } = await ownPostgres();
  const db = createDb(url);
  onTestFinished(() => db.destroy());
  await bringUpToDate(db);
  const parts = {
    db,
    origin: 'publisher',
    secret: 'a secret of this test',
    now: () => NOW,
    diskFolder: null,
    historyMonths: 24,
    log: memoryLog().log,
    onProgress: () => undefined,
  };
  const { facts } = await importFolder(await folderOf(plantedMonth()), parts);
  expect(facts).toMatchObject({ companies: 20, unread: 2 });
  // A month that the guard refuses stays staged.
  const { Socios0: _, ...half } = plantedMonth();
  const refused = { ...half, Socios0: [partner(ROOT, 'SOCIOVISIVEL DE TAL')] };
  await expect(importFolder(await folderOf(refused, 'D61115'), parts)).rejects.toMatchObject({ reason: 'implausible' });

  await db.raw('CHECKPOINT');
  const { rows } = await db.raw(`SELECT current_setting('data_directory') AS folder, current_setting('wal_compression') AS compression`);
  expect(rows[0].compression).toBe('off'); // otherwise the bytes below would prove less
  const bytes = await bytesOf(rows[0].folder);
  for (const visible of ['NOMEVISIVEL DE TAL ***982247**', 'SOCIOVISIVEL DE TAL', 'REPRESENTANTE VISIVEL', '***444777**'])
    expect(bytes.includes(visible), visible).toBe(true);
  const found = Object.entries(PLANTED).filter(([, value]) => bytes.includes(value) || bytes.includes(value.toLowerCase()));
  expect(found).toEqual([]);
}, 60_000);
