import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { dataFolder, run } from '../support/process.ts';
import { startShell } from '../support/shell.ts';

const shell = promisify(execFile);
const BANNER = /#key=(\S+)\n[\s\S]*answers at (\S+)[\s\S]*world at (\S+)\n[\s\S]*Explorer:\n/;

interface Event {
  readonly id: string;
  readonly identifier: string;
  readonly changedFields: readonly { readonly field: string }[];
}
interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The complete events in the text of a stream. */
const eventsIn = (text: string): readonly Event[] =>
  [...text.matchAll(/^event: next\n(?:id: .*\n)?data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data).data.companyChanged);

/** The three commands of the page of the sandbox that watch a company. */
const commands = /^## Watch a change$[\s\S]*?^```sh\n([\s\S]*?)^```/m.exec(readFileSync('docs/sandbox.md', 'utf8'))?.[1] ?? '';

describe('the commands of docs/sandbox.md that watch a change', () => {
  it('deliver a change within a minute with one id by event stream and webhook, and a redelivery sends it again', async () => {
    const env = { PORT: '0', QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'silent' };
    const server = run('src/main.ts', [], env);
    const [, KEY = '', URL = '', SANDBOX = ''] = await server.printed(BANNER);
    const [watch = 'false', create = 'false', look = 'false'] = [...commands.matchAll(/^curl .*$/gm)].map(([line]) =>
      line
        .replaceAll('$URL', URL)
        .replaceAll('$KEY', KEY)
        .replaceAll(/\$SANDBOX|http:\/\/127\.0\.0\.1:4001/g, SANDBOX),
    );

    const stream = startShell(watch);
    await expect.poll(() => stream.out(), { timeout: 10_000 }).toContain(':');
    expect(JSON.parse((await shell('sh', ['-c', create])).stdout)).toMatchObject({ country: 'BR', status: 'active' });

    // The demo portfolio has a monitor of its own, without a webhook: its events are on the stream, too.
    const received = async (): Promise<readonly Received[]> => JSON.parse((await shell('sh', ['-c', look])).stdout).requests;
    await expect.poll(async () => (await received()).length, { timeout: 60_000, interval: 500 }).toBeGreaterThan(0);
    const first = (await received())[0]?.headers['webhook-id'];
    await expect.poll(() => eventsIn(stream.out()).map(({ id }) => id), { timeout: 10_000 }).toContain(first);
    const event = eventsIn(stream.out()).find(({ id }) => id === first);
    const isSame = ({ headers }: Received) => headers['webhook-id'] === first;
    expect((await received()).filter(isSame)).toHaveLength(1);

    const webhook = (await received()).find(isSame);
    const body = JSON.parse(webhook?.body ?? '{}');
    expect(body.identifier).toBe(event?.identifier);
    expect(Object.keys(body.changed_fields)).toEqual(event?.changedFields.map(({ field }) => field.toLowerCase()));
    expect(webhook?.headers['webhook-signature']).toMatch(/^v1,/);

    const list = run('src/cli.ts', ['monitor', 'list', '--json'], env);
    expect(await list.ended).toBe(0);
    const monitors: readonly object[] = JSON.parse(list.out());
    expect(monitors).toContainEqual(expect.objectContaining({ key_name: 'demo', country: 'BR', companies: 4, endpoint_state: 'active' }));
    const deliveries = run('src/cli.ts', ['monitor', 'deliveries', '--status', 'delivered', '--json'], env);
    expect(await deliveries.ended).toBe(0);
    const sent: readonly { id: string; event_id: string }[] = JSON.parse(deliveries.out());
    const delivery = sent.find(({ event_id }) => event_id === event?.id);

    const again = run('src/cli.ts', ['monitor', 'redeliver', delivery?.id ?? ''], env);
    expect(await again.ended).toBe(0);
    await expect.poll(async () => (await received()).filter(isSame).length, { timeout: 10_000 }).toBe(2);
  }, 120_000);
});
