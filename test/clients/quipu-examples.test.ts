import { spawn, spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { build, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createClient } from '../../clients/typescript/src/index.ts';
import { freePort } from '../support/ports.ts';
import { installClient, link } from './client-package.ts';
import { command, ROOT } from './command.ts';
import { DEBARRED } from './portfolio.ts';

const url = inject('url');
const key = inject('key');
const client = createClient({ url, key });
const OPTIONS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

const browserFile = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim();

/** The examples with the package installed, in a folder outside the repository. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-examples-'));
  await installClient(folder);
  await cp(`${ROOT}/clients/typescript/examples`, folder, { recursive: true });
  await writeFile(`${folder}/package.json`, '{ "type": "module" }');
  await link(folder, ROOT, 'fastify', 'vite', '@types/node');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts a program of the examples; `printed` is what it has written so far. */
function start(program: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, env: { ...process.env, ...env } });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      printed += text;
    });
  return { child, ended, printed: () => printed };
}

const soon = { timeout: 60_000, interval: 500 };

describe('the examples of @quipu/client', () => {
  it('compile strictly', () => {
    expect(command('tsc', '-p', folder)).toMatchObject({ status: 0, stdout: '' });
  });

  it('live-feed prints a change with the risk level of its company, and ends with a signal or for a key that is refused', async () => {
    const identifiers = ['99.010.001/0001-84'];
    const webhook_url = `${inject('sandbox')}/_control/webhooks/live-feed`;
    await client.rest('POST /v1/monitor/subscriptions', { body: { identifiers, country: 'BR', webhook_url } });
    const feed = start('live-feed/live-feed.ts', { QUIPU_URL: url, QUIPU_KEY: key }, `${folder}/cursor`);
    let count = 0;
    // The size changes every 7.5 s. A period of 10 s, the interval of checks, could show the same size to each check.
    const change = () => {
      count += 1;
      const body = JSON.stringify({ size: count % 30 < 15 ? 'DEMAIS' : 'MICRO EMPRESA' });
      return fetch(`${inject('sandbox')}/_control/companies/99010001000184`, { method: 'PATCH', body });
    };
    await expect
      .poll(() => change().then(feed.printed), soon)
      .toMatch(/99\.010\.001\/0001-84 PADARIA .* \(risk LOW, COMPLETE\)\n {4}SIZE: \w+ → \w+\n/);
    feed.child.kill('SIGTERM');
    expect(await feed.ended).toBe(0);
    const refused = start('live-feed/live-feed.ts', { QUIPU_URL: url, QUIPU_KEY: 'sk_unknown' }, `${folder}/other-cursor`);
    expect(await refused.ended).toBe(1);
    expect(refused.printed()).toMatch(/^INVALID_API_KEY: /);
  });

  it('webhook-receiver accepts an event of the service once, and refuses a forged one', async () => {
    const port = await freePort();
    const hook = `http://127.0.0.1:${port}/hook`;
    const body = { identifiers: [DEBARRED], country: 'BR' as const, webhook_url: hook };
    const { subscription_id, secret } = await client.rest('POST /v1/monitor/subscriptions', { body });
    const receiver = start('webhook-receiver/main.ts', { WEBHOOK_SECRET: secret ?? '', PORT: `${port}` });
    await expect.poll(receiver.printed, soon).toContain('http://');
    await client.rest('POST /v1/monitor/subscriptions/{id}/test', { path: { id: subscription_id } });
    await expect.poll(receiver.printed, soon).toContain(`${DEBARRED} {}`);

    const send = (signedWith: string) => {
      const at = new Date();
      const text = JSON.stringify({ identifier: 'ours' });
      const headers = {
        'content-type': 'application/json',
        'webhook-id': 'evt_again',
        'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
        'webhook-signature': new Webhook(signedWith).sign('evt_again', at, text),
      };
      return fetch(hook, { method: 'POST', headers, body: text }).then(({ status }) => status);
    };
    expect(await send('whsec_c29tZXRoaW5nIGVsc2U=')).toBe(400);
    expect(receiver.printed()).not.toContain('ours');
    expect([await send(secret ?? ''), await send(secret ?? '')]).toEqual([204, 204]);
    expect(receiver.printed().match(/ours/g)).toHaveLength(1);
  });

  it.skipIf(!browserFile)('onboarding-form decides about a supplier in a browser, and says what is wrong with an input', async () => {
    const root = `${folder}/onboarding-form`;
    process.env.QUIPU_URL = url;
    process.env.QUIPU_KEY = key;
    await build({ root, logLevel: 'warn' });
    const server = await preview({ root, logLevel: 'warn', preview: { host: '127.0.0.1', port: 0 } });
    onTestFinished(() => server.close());
    const browser = await chromium.launch({ executablePath: browserFile, args: OPTIONS });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const sent: (string | undefined)[] = [];
    page.on('request', (request) => sent.push(request.headers()['x-api-key']));
    await page.goto(server.resolvedUrls?.local[0] ?? '');
    const check = async (cnpj: string) => {
      await page.getByLabel('CNPJ').fill(cnpj);
      await page.getByRole('button').click();
    };
    await check(DEBARRED);
    await page.getByText('A person reviews this supplier.').waitFor();
    await page.getByText('1 record on CEIS').waitFor();
    await check('99.010.001/0001-84');
    await page.getByText('Accepted.').waitFor();
    await check('99.030.001/0001-47');
    await page.getByText('The check digits of this CNPJ should be 46, not 47.').waitFor();
    expect(await page.getByText('Accepted.').count()).toBe(0);
    expect(sent.filter((header) => header !== undefined)).toEqual([]);
  });
});
