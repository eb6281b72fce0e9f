import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/** The law of docs/architecture.md: every file has a floor, no import climbs, none runs in a circle, packages stay at home. */

const root = path.resolve(import.meta.dirname, '..');
const files = globSync('src/**/*.ts', { cwd: root }).sort();

const FLOORS: readonly (readonly [RegExp, number])[] = [
  [/^src\/(main|app|config|cli|banner)\.ts$|^src\/(app|cli|config)\//, 7],
  [/^src\/server\/|^src\/modules\/index\.ts$/, 6],
  [/^src\/modules\/(module\.ts|[^/]+\/index\.ts)$/, 5],
  [/^src\/(graphql|rest)\/|^src\/modules\/[^/]+\/(graphql|rest)(\.ts|\/)/, 4],
  [/^src\/(auth|metering)\/|^src\/modules\/[^/]+\/(service(\.ts|\/)|[^/]+\.job\.ts$)/, 3],
  [/^src\/(loaders|jobs|cache|audit)\/|^src\/(context|service)\.ts$|^src\/modules\/[^/]+\/loaders?(\.ts|\/)/, 2],
  [/^src\/(sources|db|sandbox)\/|^src\/modules\/[^/]+\/(sources?|store)(\.ts|\/)/, 1],
  [/^src\/domain\/|^src\/modules\/[^/]+\/domain(\.ts|\/)/, 0],
];

const HOMES: Readonly<Record<string, RegExp>> = {
  dataloader: /^src\/loaders\//,
  'lru-cache': /^src\/cache\//,
  'type-graphql': /graphql/,
  'graphql-scalars': /^src\/graphql\//,
  '@apollo/server': /^src\/(server|graphql)\//,
  fastify: /^src\/(server|app\.ts)/,
  // What opens sockets: hosts that users name are reached through outbound alone. Globals that do so are the linter's matter.
  'graphile-worker': /^src\/jobs\//,
  'graphql-ws': /^src\/server\//,
  ws: /^src\/server\//,
  'prom-client': /^src\/server\//,
  '@opentelemetry': /^src\/server\/telemetry\//,
  ioredis: /^src\/metering\//,
  'rate-limiter-flexible': /^src\/(auth|metering)\//,
  nodemailer: /^src\/auth\/mail\.ts$/,
  undici: /^src\/sources\/(http|registry|outbound)\//,
  'node:net': /^src\/(sources\/(dns|outbound)|sandbox)\//,
  'node:tls': /^src\/sources\/outbound\//,
  'node:dns': /^src\/sources\/dns\//,
  'node:dgram': /^src\/(sources\/dns|sandbox)\//,
  'node:http': /^src\/sandbox\//,
  'node:https': /^$/,
  'node:http2': /^$/,
  'dns-packet': /^src\/(sources\/dns|sandbox)\//,
  zod: /^src\/(sources|rest|jobs|config|server\/rest\.ts)|^src\/(auth|metering|audit)\/[^/]+\.job|^src\/modules\/[^/]+\/(source|rest|[^/]+\.job)/,
};

interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
}

/** A file's imports, those at work included, and re-exports, with `import type` told apart. */
function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const atTop = [...text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm)];
  const atWork = [...text.matchAll(/\b(?:import|require)\('([^']+)'\)/g)].map(([, target]) => ['', undefined, target]);
  return [...atTop, ...atWork].map(([, type, target]) => ({ target: target ?? '', typeOnly: type !== undefined }));
}

const floorOf = (file: string): number | undefined => FLOORS.find(([where]) => where.test(file))?.[1];
const local = (file: string, target: string): string => path.relative(root, path.resolve(root, path.dirname(file), target));
const localImports = (file: string): string[] =>
  importsOf(file)
    .filter(({ target }) => target.startsWith('.'))
    .map(({ target }) => local(file, target));

describe('the architecture', () => {
  it('gives every file a floor', () => {
    expect(files.filter((file) => floorOf(file) === undefined)).toEqual([]);
  });

  it('has no import that climbs, names a missing file or leaves src', () => {
    const wrong = files.flatMap((file) =>
      localImports(file)
        .filter((target) => !existsSync(path.join(root, target)) || (floorOf(target) ?? 9) > (floorOf(file) ?? -1))
        .map((target) => `${file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no circle of imports, types included', () => {
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, trail: readonly string[]): void => {
      if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
      if (done.has(file) || trail.includes(file)) return;
      for (const target of localImports(file)) visit(target, [...trail, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('SS-05 keeps packages at home, those that open sockets too', () => {
    const away = files.flatMap((file) =>
      importsOf(file)
        .filter(({ target, typeOnly }) => {
          const home = Object.entries(HOMES).find(([name]) => target === name || target.startsWith(`${name}/`))?.[1];
          return home && !typeOnly && !home.test(file);
        })
        .map(({ target }) => `${file}: ${target}`),
    );
    const database = files.filter(
      (file) =>
        importsOf(file).some(({ target, typeOnly }) => /^(knex|pg)$/.test(target) && !typeOnly) && !/^src\/db\/|store\.ts$/.test(file),
    );
    expect([...away, ...database]).toEqual([]);
  });

  it('keeps the domain free of packages', () => {
    const impure = files.filter((file) => floorOf(file) === 0 && importsOf(file).some(({ target }) => !target.startsWith('.')));
    expect(impure).toEqual([]);
  });

  it('keeps files within 300 lines', () => {
    const all = [...files, ...globSync('test/**/*.ts', { cwd: root })];
    const long = all.filter((file) => readFileSync(path.join(root, file), 'utf8').split('\n').length > 301);
    expect(long).toEqual([]);
  });
});
