import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { onDisk, rutOf, siiDb } from './support.ts';
import { nominaOf, numbers } from './tables.ts';

const COMPANIES = 300;
const PUBLICATIONS = 5;
const READERS = 4;
const { sii, leftovers } = siiDb();

describe('replacing the copy of the registry', () => {
  it('DB-04 is invisible: every answer is of one edition, whole, with its own date', async () => {
    const copy = sii();
    const versions = Array.from({ length: PUBLICATIONS }, (_, i) => ({ year: 2020 + i, companies: COMPANIES + i, mark: `EDICION ${i}` }));
    const files = await onDisk(
      Object.fromEntries(versions.map(({ companies, year, mark }) => [`${year}.txt`, nominaOf(companies, { year, mark })])),
    );
    const ruts = numbers(COMPANIES).map(rutOf);
    const load = async (i: number) => expect(await copy.sync({ files: files.slice(i, i + 1) })).toMatchObject({ outcome: 'loaded' });
    await load(0);

    let isOver = false;
    const seen = new Set<string>();
    const wrong: string[] = [];
    async function read(): Promise<void> {
      while (!isOver) {
        const { version, companies } = await copy.companies(ruts);
        const year = Number(version.publishedOn?.slice(0, 4));
        const mark = `EDICION ${year - 2020}`;
        const isWhole = companies.size === COMPANIES && version.entries === COMPANIES + year - 2020;
        const isOne = [...companies.values()].every(({ name, commercialYear }) => name.endsWith(mark) && commercialYear === year);
        if (!isWhole || !isOne) wrong.push(`${version.publishedOn}: ${companies.size}`);
        seen.add(version.id);
        await sleep(5);
      }
    }
    const readers = Array.from({ length: READERS }, read);
    for (let i = 1; i < PUBLICATIONS; i += 1) await load(i);
    isOver = true;
    await Promise.all(readers);
    expect(wrong).toEqual([]);
    expect(seen.size).toBeGreaterThan(2);
    expect(await leftovers()).toEqual([]);
  }, 60_000);
});
