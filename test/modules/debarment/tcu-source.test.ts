import { expect, it, onTestFinished } from 'vitest';
import { tcuInidoneos } from '../../../src/modules/debarment/sources/tcu-inidoneos.ts';
import type { SourceDeps } from '../../../src/sources/source.ts';
import { testDb } from '../../support/db.ts';
import { tempFolder } from '../../support/files.ts';
import { memoryLog } from '../../support/log.ts';
import { sampleText } from '../../support/samples.ts';
import { upstream } from '../../support/upstream.ts';

/** Creates the source at a stand-in of the API, with a value of QUIPU_TCU_TERMS. */
async function sourceWith(terms: string) {
  const db = await testDb();
  onTestFinished(() => db.close());
  const requests: string[] = [];
  const { url } = await upstream(() => (request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      requests.push(`${request.method} ${request.headers['content-type']} ${body}`);
      response.writeHead(200, { 'content-type': 'application/json' }).end(sampleText('brazil/tcu/responsaveis_inidoneos.json'));
    });
  });
  const deps: Partial<SourceDeps> = {
    address: () => ({ url: `${url}/api/publico/responsaveis-inidoneos`, origin: 'given' }),
    setting: (name) => (name === 'QUIPU_TCU_TERMS' ? terms : ''),
    db: db.knex,
    now: () => Date.parse('2026-11-28T12:00:00Z'),
    log: memoryLog().log,
    tempDir: await tempFolder(),
  };
  return { list: tcuInidoneos.create(deps as SourceDeps), requests };
}

it('the list of the TCU is off until the operator accepts its terms: nothing is requested, and it clears no company', async () => {
  const { list, requests } = await sourceWith('');
  expect(await list.sync()).toEqual({ outcome: 'refused', reason: 'switched_off' });
  expect(await list.status()).toMatchObject({ off: true, usable: false });
  await expect(list.lookup(['BR:30139983'])).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  expect(requests).toEqual([]);
});

it('the list of the TCU is requested by POST with an empty object, and answers by the root of a CNPJ', async () => {
  const { list, requests } = await sourceWith('accepted');
  expect(await list.sync()).toMatchObject({ outcome: 'loaded' });
  expect(requests).toEqual(['POST application/json {}']);
  const { entries } = await list.lookup(['BR:30139983', 'BR:11222333']);
  expect([entries.get('BR:30139983')?.length, entries.get('BR:11222333')]).toEqual([1, []]);
});
