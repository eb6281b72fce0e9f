import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  readonly version: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const read = (file: string) => JSON.parse(readFileSync(path.resolve(import.meta.dirname, '..', file), 'utf8'));

const manifest: Readonly<Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>> & {
  readonly allowScripts: Record<string, boolean>;
} = read('package.json');
const lock: { readonly lockfileVersion: number; readonly packages: Record<string, LockedPackage> } = read('package-lock.json');

/** Every installed copy, nested ones included; the path ends in the package's name. */
const installed = Object.entries(lock.packages)
  .filter(([place]) => place !== '')
  .map(([place, facts]) => ({ place, name: place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length), ...facts }));

/** Licences that ask for their text to be passed on, and no more. */
const ALLOWED = /^\(?(MIT|MIT-0|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|PostgreSQL|Python-2\.0)\b/;

/** Licences of packages that state them in their LICENSE file only. */
const LICENCES_IN_FILES: Readonly<Record<string, string>> = { 'png-js@2.0.0': 'MIT' };

/** Annex C of the promises: lowest version known safe, by major where an older one is maintained beside. */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  fastify: ['5.12.1'],
  ws: ['8.21.0'],
  undici: ['7.28.0', '8.12.4'],
  '@apollo/server': ['5.5.0'],
  graphql: ['16.8.1'],
  node: ['22.0.0', '24.0.0'],
};

/** True for a version at or above the floor of its major, or of a major above all floors. */
function isSafe(version: string, floors: readonly string[]): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const of = (floor: string) => floor.split('.').map(Number);
  const floor = floors.map(of).find(([theirs]) => theirs === major);
  if (!floor) return floors.every((one) => major > (of(one)[0] ?? 0));
  const [, lowMinor = 0, lowPatch = 0] = floor;
  return minor > lowMinor || (minor === lowMinor && patch >= lowPatch);
}

/** Packages that the code of the pages imports, with their dependencies: development dependencies that are part of what is served. */
function packagesOfPages(): ReadonlySet<string> {
  const root = path.resolve(import.meta.dirname, '..');
  // The other files make the pages: they run when the service is built, and no browser gets them.
  const exclude = ['dashboard/docs-site/{plugin,markdown,diagram}.ts', 'dashboard/{vite.config,codegen}.ts'];
  const files = globSync('dashboard/**/*.{ts,tsx,html}', { cwd: root, exclude }).map((file) => readFileSync(path.join(root, file), 'utf8'));
  const imported = files.flatMap((text) =>
    [...text.matchAll(/(?:from|import)\s*\(?'((?:@[\w.-]+\/)?[\w.-]+)/g)].map(([, name = '']) => name),
  );
  const found = new Set(imported.filter((name) => lock.packages[`node_modules/${name}`]));
  for (const name of found) {
    for (const copy of installed.filter((one) => one.name === name))
      for (const needed of Object.keys(copy.dependencies ?? {})) found.add(needed);
  }
  return found;
}

describe('SC-01 the lock file', () => {
  it('SC-01 holds an integrity hash for every package and no address but the npm registry', () => {
    const wrong = installed.filter(
      ({ integrity = '', resolved }) =>
        !/^sha512-[\w+/]{86}==$/.test(integrity) || (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')),
    );
    expect(lock.lockfileVersion).toBe(3);
    expect(wrong.map(({ place }) => place)).toEqual([]);
  });

  it('SC-01 has install scripts in exactly the packages that package.json allows to run one', () => {
    const withScript = installed.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    const allowed = Object.entries(manifest.allowScripts).flatMap(([name, runs]) => (runs ? [name] : []));
    expect(new Set(withScript)).toEqual(new Set(allowed));
  });

  it('SC-01 locks the very versions that package.json names, each of them exact', () => {
    const named = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies });
    expect(named.filter(([name, version]) => lock.packages[`node_modules/${name}`]?.version !== version)).toEqual([]);
  });
});

describe('SC-02 security floors', () => {
  it('SC-02 has no copy of a package below its floor', () => {
    const below = installed.filter(({ name, version }) => FLOORS[name] && !isSafe(version, FLOORS[name]));
    expect(below.map(({ place, version }) => `${place} ${version}`)).toEqual([]);
  });

  it.each([
    ['5.12.0', ['5.12.1'], false],
    ['5.12.1', ['5.12.1'], true],
    ['6.0.0', ['5.12.1'], true],
    ['8.12.3', ['7.28.0', '8.12.4'], false],
    ['7.28.0', ['7.28.0', '8.12.4'], true],
    ['6.21.0', ['7.28.0', '8.12.4'], false],
    ['20.20.2', ['22.0.0', '24.0.0'], false],
    ['23.1.0', ['22.0.0', '24.0.0'], false],
  ])('SC-02 judges %s against %j as %s', (version, floors, safe) => {
    expect(isSafe(version, floors)).toBe(safe);
  });
});

describe('SC-03 the list of parts', () => {
  it('SC-03 names every package of the lock file in its version, and no other', () => {
    const said = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
      cwd: path.resolve(import.meta.dirname, '..'),
      encoding: 'utf8',
    });
    const { components }: { components: readonly { group?: string; name: string; version: string }[] } = JSON.parse(said.stdout);
    const listed = new Set(components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`));
    const locked = new Set(installed.map(({ name, version }) => `${name}@${version}`));
    expect([...locked].filter((one) => !listed.has(one))).toEqual([]);
    expect([...listed].filter((one) => !locked.has(one))).toEqual([]);
  });

  it('SC-03 finds no package that the service runs, or that its pages contain, under a licence that binds those who use it', () => {
    const bundled = packagesOfPages();
    expect(bundled).toContain('react-dom');
    expect(bundled).toContain('scheduler'); // a dependency of react-dom
    const bound = installed.filter(
      ({ dev, license, name, version }) =>
        (!dev || bundled.has(name)) && !ALLOWED.test(license ?? LICENCES_IN_FILES[`${name}@${version}`] ?? ''),
    );
    expect(bound.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });
});
