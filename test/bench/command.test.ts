import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCommand, UsageError } from '../../bench/harness/arguments.ts';
import type { Bench } from '../../bench/harness/bench.ts';

const root = path.resolve(import.meta.dirname, '../..');
const bench = (name: string): Bench => ({ name, description: `measures ${name}`, run: () => Promise.reject(new Error('not run here')) });
const benches = [bench('graphql'), bench('imports')];

/** What `npm run bench --` runs once the service is built. */
const run = (...args: string[]) =>
  spawnSync(process.execPath, ['--import', 'tsx', 'bench/run.ts', ...args], { cwd: root, encoding: 'utf8' });

describe('npm run capacity', () => {
  const capacity = (...args: string[]) =>
    spawnSync(process.execPath, ['--import', 'tsx', 'bench/capacity/run.ts', ...args], { cwd: root, encoding: 'utf8' });

  it('prints what a load needs, and ends with 1 and a hint for a wrong option', () => {
    expect(capacity('--companies', '1000')).toMatchObject({ status: 0, stdout: expect.stringContaining('web processes'), stderr: '' });
    expect(capacity('--companies', 'many')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: '--companies: expected a whole number from 0 to 100000000, got "many".\nSee: npm run capacity -- --help\n',
    });
  });
});

describe('the command line of the benches', () => {
  it('names a bench and leaves the rest to the defaults', () => {
    expect(readCommand(['imports'], benches)).toEqual({
      kind: 'run',
      bench: benches[1],
      options: {
        rounds: 5,
        seconds: 4,
        warmupSeconds: 2,
        connections: 8,
        rows: 1_000_000,
        establishments: 200_000,
        companies: 10_000,
        subscribers: 5_000,
        outageSeconds: 20,
      },
      json: false,
      write: false,
    });
  });

  it('takes the number and length of runs', () => {
    const command = readCommand(
      ['graphql', '--rounds', '3', '--seconds=1', '--warmup', '0', '--connections', '16', '--json', '--write'],
      benches,
    );
    expect(command).toMatchObject({ options: { rounds: 3, seconds: 1, warmupSeconds: 0, connections: 16 }, json: true, write: true });
  });

  it.each([
    { name: 'no bench', argv: [], message: 'Name a bench: graphql, imports.' },
    { name: 'an unknown bench', argv: ['grpc'], message: 'There is no bench "grpc". Known: graphql, imports.' },
    { name: 'two benches', argv: ['graphql', 'imports'], message: 'One bench at a time: graphql, imports.' },
    { name: 'an unknown option', argv: ['graphql', '--fast'], message: '--fast' },
    { name: 'no rounds', argv: ['graphql', '--rounds', '0'], message: '--rounds: expected a whole number from 1 to 9999, got "0".' },
    { name: 'part of a second', argv: ['graphql', '--seconds', '0.5'], message: '--seconds: expected a whole number' },
    {
      name: 'hardly any rows',
      argv: ['imports', '--rows', '10'],
      message: '--rows: expected a whole number from 1000 to 100000000, got "10".',
    },
    {
      name: 'an outage that usage does not survive',
      argv: ['graphql', '--outage', '300'],
      message: '--outage: expected a whole number from 1 to 240',
    },
    { name: 'a word for a number', argv: ['graphql', '--connections', 'many'], message: '--connections: expected a whole number' },
  ])('refuses $name with a message that helps', ({ argv, message }) => {
    expect(() => readCommand(argv, benches)).toThrow(UsageError);
    expect(() => readCommand(argv, benches)).toThrow(message);
  });

  it('ends with 1 and the names of the benches for an unknown one', () => {
    const { status, stdout, stderr } = run('grpc');
    expect({ status, stdout, stderr }).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/no bench "grpc"\. Known: .*graphql/),
    });
  });

  it('lists the benches and the options for --help', () => {
    const { status, stdout, stderr } = run('--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const name of ['away', 'graph', 'graphql', 'import', 'monitor', 'rest', 'workers'])
      expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    for (const option of [
      '--rounds',
      '--seconds',
      '--warmup',
      '--connections',
      '--rows',
      '--establishments',
      '--companies',
      '--subscribers',
      '--outage',
      '--json',
      '--write',
    ])
      expect(stdout).toContain(option);
  });
});
