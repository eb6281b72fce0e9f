import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { dataFolder, run } from '../support/process.ts';

const shell = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
/** Translated pages have the scripts of the English ones, which `test/docs.test.ts` checks. */
const TRANSLATED = ['docs/es/**', 'docs/pt/**'];
const blocks = [...globSync('docs/**/*.md', { cwd: root, exclude: TRANSLATED }), 'README.md'].flatMap((file) =>
  [...readFileSync(path.join(root, file), 'utf8').matchAll(/^```sh run\n([\s\S]*?)^```/gm)].map(([, script = '']) => ({ file, script })),
);

describe('the examples of the docs', () => {
  it('succeed with output and without errors against one sandbox server', async () => {
    const folder = { QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'silent', QUIPU_RECEITA_MODE: 'copy-then-live' };
    const env = { ...folder, PORT: '0', QUIPU_BOOTSTRAP_KEY: 'sk_documentation' };
    const server = run('src/main.ts', [], env);
    const [, url = '', sandbox = ''] = await server.printed(/answers at (\S+)[\s\S]*world at (\S+)[\s\S]*Explorer:/);
    expect(await run('src/cli.ts', ['import', 'receita'], env).ended).toBe(0); // some examples need the own copy of the registry
    expect(blocks.length).toBeGreaterThan(5);
    for (const { file, script } of blocks) {
      const { stdout } = await shell('sh', ['-ec', script], {
        env: { ...process.env, URL: url, SANDBOX: sandbox, KEY: env.QUIPU_BOOTSTRAP_KEY },
      });
      expect([file, script, stdout]).not.toEqual([file, script, '']);
      expect([file, script, stdout]).toEqual([
        file,
        script,
        expect.not.stringMatching(/"errors"|"code":\s*"(internal|invalid|missing|source)/),
      ]);
    }
  }, 180_000);
});
