import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFolder } from '../support/process.ts';
import { sandboxServer } from '../support/sandbox-server.ts';

const server = sandboxServer();
const { quipu } = server;

const CLEAN = '99.010.001/0001-84';

describe('quipu report', () => {
  it('saves the report of a company by its tax id, and that of the same check by its receipt', async () => {
    const dir = await dataFolder();
    const [first, second] = [path.join(dir, 'first.pdf'), path.join(dir, 'second.pdf')];
    const { code, out, err } = await quipu(['report', CLEAN, '--language', 'es', '--output', first, '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { receipt_id: receipt, output } = JSON.parse(out);
    expect([receipt, output]).toEqual([expect.stringMatching(/^evd_/), first]);
    expect((await readFile(first)).subarray(0, 5).toString()).toBe('%PDF-');
    const again = await quipu(['report', receipt, '--output', second]);
    expect(again).toEqual({ code: 0, out: `The report of ${receipt} is saved in ${second}.\n`, err: '' });
    expect(await quipu(['report', receipt, '--output', second])).toMatchObject({
      code: 1,
      err: `${second} exists: name another --output, or use --force.\n`,
    });
  }, 60_000);

  it('exits with 1 and one line, and leaves no file, where there is no report', async () => {
    const output = path.join(await dataFolder(), 'none.pdf');
    const unknown = await quipu(['report', `evd_${'0'.repeat(32)}`, '--output', output]);
    expect(unknown).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^[^\n]+\n$/) });
    const zone = await quipu(['report', CLEAN, '--output', output, '--time-zone', 'Mars/Olympus']);
    expect(zone).toMatchObject({ code: 1, out: '' });
    expect(await quipu(['report', '99.010.001/0001-85', '--output', output])).toMatchObject({ code: 1 });
    expect([existsSync(output), existsSync(`${output}.part`)]).toEqual([false, false]);
  }, 60_000);
});
