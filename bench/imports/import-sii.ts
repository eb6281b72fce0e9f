import { pathToFileURL } from 'node:url';
import { built } from '../harness/built.ts';
import { copyDeps } from '../harness/copy-deps.ts';

/**
 * Separate process that imports one nómina with the output of `npm run build`, and prints the duration and memory.
 * Arguments: database URL, folder for downloads, file.
 */
const { createDb } = await built<typeof import('../../src/db/knex.ts')>('src/db/knex');
const { sii } = await built<typeof import('../../src/sources/sii/source.ts')>('src/sources/sii/source');

const [url = '', tempDir = '', file = ''] = process.argv.slice(2);
const db = createDb(url);
const copy = sii.create(
  await copyDeps({
    address: (setting) => ({ url: setting === 'QUIPU_SII_EMPRESAS_URL' ? pathToFileURL(file).href : '', origin: 'given' }),
    db,
    tempDir,
  }),
);

const startedAt = performance.now();
let servedAt = startedAt; // the new version answers before its names are indexed
const onProgress = ({ step }: { readonly step: string }): void => {
  if (step === 'names') servedAt = performance.now();
};
const result = await copy.sync({ files: [file], onProgress });
const seconds = (servedAt - startedAt) / 1_000;
await db.destroy();
if (result.outcome !== 'loaded') throw new Error(`not loaded: ${JSON.stringify(result)}`);
process.stdout.write(JSON.stringify({ seconds, peakRssBytes: process.resourceUsage().maxRSS * 1_024, rows: result.version.entries }));
