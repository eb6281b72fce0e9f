import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startSandbox } from '../../../sandbox/server/server.ts';
import { receitaShareSimulator } from '../../../sandbox/upstreams/receita-federal/share.ts';
import { downloadMonth } from '../../../src/sources/receita-federal/copy/download.ts';
import { importFolder } from '../../../src/sources/receita-federal/copy/import.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { testDb } from '../../support/db.ts';

/** Starts the whole service in the mode `copy`, with the copy of the registry that the sandbox publishes. */
export async function appWithCopy(): Promise<TestApp & { readonly load: (folder: string) => Promise<unknown> }> {
  const db = await testDb();
  const tempDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-copy-'));
  const sandbox = await startSandbox({ simulators: [receitaShareSimulator], now: Date.now });
  const onProgress = () => undefined;
  const load = (folder: string) =>
    importFolder(
      folder,
      { db: db.knex, origin: 'sandbox', secret: 'of this test', now: Date.now, diskFolder: null, historyMonths: 24, onProgress },
      { force: true },
    );
  const address = `${sandbox.url}/receita_share/index.php/s/sandbox`;
  await load(await downloadMonth({ address, sharePath: '', month: null, tempDir, signal: new AbortController().signal, onProgress }));
  await sandbox.close();
  const app = await testApp({ db, env: { QUIPU_RECEITA_MODE: 'copy' } });
  return {
    ...app,
    load,
    async close() {
      await app.close();
      await db.close();
      await rm(tempDir, { recursive: true });
    },
  };
}
