import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { dataFolder, run } from '../support/process.ts';

async function quipu(...args: readonly string[]) {
  const { ended, out, err } = run('src/cli.ts', args, {});
  return { code: await ended, out: out(), err: err() };
}

/** What bash offers after these words; the last one is being typed. */
function offered(script: string, ...words: readonly string[]): readonly string[] {
  const commands = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _quipu; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', commands, 'bash', script, 'quipu', ...words], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

/** Commands whose result is a file of JSON, or a script. */
const WITHOUT_JSON = ['mcp', 'accounts export', 'evidence export', 'completion'];

describe('quipu completion', () => {
  it('completes commands, subcommands, options and choices in bash', async () => {
    const { code, out } = await quipu('completion', 'bash');
    expect(code).toBe(0);
    const script = path.join(await dataFolder(), 'quipu.bash');
    await writeFile(script, out);
    expect(offered(script, 'mon')).toEqual(['monitor']);
    expect(offered(script, 'keys', 'r')).toEqual(['rotate', 'revoke']);
    expect(offered(script, 'screen', 'file.csv', '--f')).toEqual(['--format', '--force']);
    expect(offered(script, 'monitor', 'release', '99.010.001/0001-84', '--s')).toEqual(['--source']);
    expect(offered(script, 'completion', 'b')).toEqual(['bash']);
    expect(offered(script, 'keys', 'nothing-like-this')).toEqual(['']);
  });

  it('has the same words for zsh and, with descriptions, for fish', async () => {
    const [bash, zsh, fish] = await Promise.all(['bash', 'zsh', 'fish'].map((shell) => quipu('completion', shell)));
    expect(zsh?.out).toBe(`autoload -U +X bashcompinit && bashcompinit\n${bash?.out}`);
    expect(fish?.out).toContain(`complete -c quipu -n '__quipu_at " keys"' -a 'revoke' -d 'revoke a key permanently'\n`);
    expect(fish?.out).toContain(`complete -c quipu -n '__quipu_at " screen"' -l force -d 'replace the output if it exists'\n`);
  });

  it('refuses another shell, with the list of shells', async () => {
    expect(await quipu('completion', 'tcsh')).toMatchObject({ code: 1, out: '', err: expect.stringContaining('bash, zsh, fish') });
  });
});

describe('every command of quipu', () => {
  it('has --help and, where it prints a result, --json', async () => {
    const { out } = await quipu('completion', 'bash');
    const levels = [...out.matchAll(/^ {4}' ?([a-z -]*)'\) words='([^']*)'/gm)].map(([, at = '', words = '']) => ({
      at,
      words: words.split(' '),
    }));
    const leaves = levels.filter(({ at }) => !levels.some((other) => other.at.startsWith(`${at} `)) && at !== '');
    expect(leaves.length).toBeGreaterThan(30);
    expect(levels.filter(({ words }) => !words.includes('--help'))).toEqual([]);
    expect(leaves.filter(({ words }) => !words.includes('--json')).map(({ at }) => at)).toEqual(WITHOUT_JSON);
  });

  it('is listed by --help with the exit codes, and --version prints the version', async () => {
    expect((await quipu('--help')).out).toMatch(
      /doctor [\s\S]*completion [\s\S]*\nExit codes: 0 done, 1 failed, 2 check, group-findings: a finding/,
    );
    expect(await quipu('--version')).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' });
  });
});
