import { describe, expect, it } from 'vitest';
import { zipOf } from '../../support/files.ts';
import { edge, fileOf, onDisk, ownershipDb } from './support.ts';

const { copy } = ownershipDb();
const FILE = fileOf([edge(76_900_014, 76_900_001, '100')]);
const NAME = 'composicion_sociedades';
const zipWritten = (on: string) => zipOf({ [`${NAME}.csv`]: FILE }, new Date(`${on}T12:00:00`));

/** Loads a local file of this name. */
const loaded = async (content: string | Buffer, name: string) => copy().sync({ files: [await onDisk(content, name)] });

describe('a local file of the owners of Chile', () => {
  it('has the date in its name, or that of the file in the zip, and never the day of its load', async () => {
    expect(await loaded(await zipWritten('2025-11-25'), `${NAME}.zip`)).toMatchObject({ version: { publishedOn: '2025-11-25' } });
    expect(await loaded(fileOf([edge(76_900_014, 76_900_001, '99')]), `${NAME}_2025-11-26.csv`)).toMatchObject({
      version: { publishedOn: '2025-11-26' },
    });
    expect(await loaded(await zipWritten('2026-01-01'), `${NAME}_20251127.zip`)).toMatchObject({ version: { publishedOn: '2025-11-27' } });
  });

  it('is refused without a date', async () => {
    const refused = { outcome: 'refused', reason: 'not_a_list', why: 'the name of the file has no date' };
    expect(await loaded(FILE, `${NAME}.csv`)).toMatchObject(refused);
    expect(await loaded(await zipWritten('1980-01-01'), `${NAME}.zip`)).toMatchObject(refused);
  });
});
