import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../sandbox/server/server.ts';
import { simulators } from '../../../sandbox/upstreams/index.ts';
import { minhaReceitaJson } from '../../../sandbox/upstreams/receita-federal/minha-receita.ts';
import type { SandboxCompany } from '../../../sandbox/world/brazil/company.ts';
import { companies } from '../../../sandbox/world/brazil/world.ts';
import type { HttpAnswer } from '../../../src/sources/http/failure.ts';
import { downloadMonth } from '../../../src/sources/receita-federal/copy/download.ts';
import { withoutErased } from '../../../src/sources/receita-federal/erasures.ts';
import { readMinhaReceita } from '../../../src/sources/receita-federal/minha-receita.ts';
import { copyDb, NOW } from './support.ts';

const { copy } = copyDb();

async function share() {
  const sandbox = await startSandbox({ simulators, now: () => NOW });
  const tempDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-share-'));
  onTestFinished(async () => {
    await sandbox.close();
    await rm(tempDir, { recursive: true });
  });
  const given = { sharePath: '', tempDir, signal: new AbortController().signal, onProgress: () => undefined, pauseMs: 1 };
  return {
    sandbox,
    download: (month: string | null = null) =>
      downloadMonth({ ...given, month, address: `${sandbox.url}/receita_share/index.php/s/sandbox` }),
  };
}

const answerOf = (company: SandboxCompany): HttpAnswer => ({ status: 200, text: JSON.stringify(minhaReceitaJson(company)) });

describe('the share of the sandbox', () => {
  it('gives the copy the answers of the mirror for every Brazilian company', async () => {
    const { download } = await share();
    const own = copy();
    expect(await own.load(await download())).toMatchObject({ extractedOn: '2026-11-14', facts: { orphans: 0, unread: 0 } });
    const known = companies.filter(({ knownTo, schedule }) => knownTo !== 'none' && schedule === null);
    expect(known.length).toBeGreaterThan(40);
    const answers = await own.reader().find(known.map(({ cnpj }) => cnpj));
    for (const company of known) {
      const live = readMinhaReceita(answerOf(company), company.cnpj);
      // The registry has partners and capital per company. The mirror of the sandbox has them per establishment,
      // and it rounds the capital to a 32-bit float. The copy stores no street, district and postal code.
      // A mirror has no list for a company without other activities, of which the copy knows that there are none.
      const head = known.find(({ cnpj, isBranch }) => !isBranch && cnpj.startsWith(company.cnpj.slice(0, 8))) ?? company;
      const ofHead = readMinhaReceita(answerOf(head), head.cnpj);
      const partners = ofHead && withoutErased(ofHead, () => false).partners;
      const withoutStreet = { street: null, number: null, complement: null, district: null, postalCode: null };
      const otherActivities = live?.details.otherActivities ?? [];
      const details = live && { ...live.details, otherActivities, address: { ...live.details.address, ...withoutStreet } };
      expect(answers.get(company.cnpj), company.scenario).toMatchObject({
        value: { ...live, details, partners, capital: head.capital },
        dataAsOf: '2026-11-14',
      });
    }
    const unknown = companies.filter(({ knownTo }) => knownTo === 'none');
    for (const { cnpj } of unknown) expect(await own.find(cnpj)).toMatchObject({ value: null });
  });

  it('lists two months, and the older one can be loaded', async () => {
    const { download } = await share();
    const own = copy();
    expect(await own.load(await download('2026-10'))).toMatchObject({ extractedOn: '2026-10-14' });
    expect(await own.load(await download('2026-11'))).toMatchObject({ extractedOn: '2026-11-14' });
    await expect(download('2026-09')).rejects.toMatchObject({ reason: 'not_found' });
  });

  it('continues a download where it was cut, and requests no file twice', async () => {
    const { sandbox, download } = await share();
    sandbox.faults.set('receita_share', { mode: 'reset_mid_body', times: 5, match: '.zip' });
    const folder = await download();
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
    const before = sandbox.requestsTo('receita_share').length;
    await download();
    expect(sandbox.requestsTo('receita_share').length - before).toBe(2);
  });
});
