import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type pg from 'pg';
import { rutCheckDigit } from '../../src/domain/tax-id.ts';
import { madeUpCnpjs } from '../compliance/made-up.ts';
import { writeNomina } from '../imports/nomina-file.ts';
import { changeLog } from './changes.ts';
import { type Compared, connect, HTTP, type Play, SQL, startQuipu } from './play.ts';
import { type Country, readPlainly, sweepOnce, watchAll } from './sweep.ts';

/** Measures checked companies per second. The first check of each is not measured, because it only stores the first snapshot. */
export async function sweeps(play: Play): Promise<readonly Compared[]> {
  const { stage, pinning, options, progress, url } = play;
  const { companies, rounds } = options;
  const nomina = path.join(stage.dir, 'PUB_EMPRESAS_PJ_2024.txt');
  progress(`writing a registry of ${companies} companies`);
  await writeNomina(nomina, companies);
  const registry = await stage.start({ name: 'registry', script: 'bench/servers/registry.ts', env: {}, readyPath: '/' }, pinning.load);
  const server = await startQuipu(play, 'sweeping', {
    QUIPU_RECEITA_URL: registry.url,
    QUIPU_RECEITA_FALLBACK_URL: '',
    QUIPU_SII_EMPRESAS_URL: pathToFileURL(nomina).href,
  });
  const client = await connect(url);
  const { keyId } = await ownKey(url);
  const compare = async (country: Country, taxIds: readonly string[], plainly: (file: string) => Promise<number>) => {
    const file = path.join(stage.dir, `${country}.txt`);
    await writeFile(file, taxIds.join('\n'));
    await watchAll(client, { keyId, country, taxIds });
    await sweepOnce(client, country);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      ours.push(taxIds.length / (await sweepOnce(client, country)));
      theirs.push(taxIds.length / (await plainly(file)));
      progress(`round ${round}/${rounds} · sweep ${country} · ${ours.at(-1)?.toFixed(0)}/s · plain ${theirs.at(-1)?.toFixed(0)}/s`);
    }
    return { ours, theirs, decimals: 0 };
  };
  try {
    const local = await compare('CL', await chileans(client), (file) => readPlainly(pinning.server, 'sql', url, file, companies));
    const http = await compare('BR', madeUpCnpjs(companies), (file) => readPlainly(pinning.server, 'http', registry.url, file, companies));
    return [
      { title: 'companies a second from a local copy (CL)', baseline: SQL, ...local },
      { title: 'companies a second over HTTP (BR)', baseline: HTTP, ...http },
    ];
  } finally {
    await client.end();
    await server.stop();
    await registry.stop();
  }
}

async function ownKey(url: string): Promise<{ readonly keyId: string }> {
  const log = await changeLog(url);
  const { id } = await log.keyFor('sweep');
  await log.close();
  return { keyId: id };
}

/** Returns the companies of the copy that was just loaded. */
async function chileans(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query('SELECT rut FROM sii_companies ORDER BY rut');
  return rows.map(({ rut }) => `${rut}${rutCheckDigit(String(rut))}`);
}
