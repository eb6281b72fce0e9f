import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { NODE_ARGUMENTS } from '../bench/harness/server.ts';
import { settings } from '../src/config.ts';

/** The package has no types. */
const { load, loadAll } = createRequire(import.meta.url)('js-yaml') as Record<'load' | 'loadAll', (text: string) => unknown>;
const read = (file: string): string => readFileSync(path.resolve(import.meta.dirname, '..', file), 'utf8');
const image = read('Dockerfile');
const stages = image.split(/^FROM /m).slice(1);
const shipped = stages.at(-1) ?? '';
const gateway = read('docker-compose.yml').split(/^ {2}postgres:/m)[0] ?? '';

describe('SC-04 the image', () => {
  it('SC-04 is built in stages, and ships what was built and the packages that it needs, nothing else', () => {
    expect(stages).toHaveLength(2);
    expect([...shipped.matchAll(/^(COPY|ADD) (.*)$/gm)].map(([line]) => line)).toEqual([
      'COPY --from=build /build/package.json ./',
      'COPY --from=build /build/node_modules node_modules',
      'COPY --from=build /build/dist dist',
    ]);
    expect(image).toMatch(/npm ci .*[\s\S]*npm prune --omit=dev/);
    expect(read('.dockerignore').split('\n')).toContain('*');
  });

  it('is built from every source that run.js compiles', () => {
    const [, list = ''] = /^const SOURCES = \[([^\]]*)\];$/m.exec(read('run.js')) ?? [];
    const sources = [...list.matchAll(/'([^']+)'/g)].map(([, name = '']) => name);
    const copied = [...(stages[0] ?? '').matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, names = '']) => names.split(' '));
    const sent = read('.dockerignore').split('\n');
    expect(sources).toContain('src');
    expect(sources.filter((name) => !copied.includes(name) || !sent.includes(`!${name}`))).toEqual([]);
  });

  it('SC-04 runs as an ordinary user by its number, and says how it is', () => {
    expect(shipped).toMatch(/^USER (?!0)\d+:(?!0)\d+$/m);
    expect(shipped).toMatch(/^HEALTHCHECK /m);
    expect(shipped).toMatch(/^CMD \["node", /m);
  });

  it('runs Node with the options of npm start, as the benches do', () => {
    const { start } = JSON.parse(read('package.json')).scripts;
    const [, options = ''] = /^exec node (.*) run\.js src\/main\.js$/.exec(start) ?? [];
    expect(options.split(' ')).toEqual(NODE_ARGUMENTS);
    expect(JSON.parse(/^CMD (.*)$/m.exec(shipped)?.[1] ?? '')).toEqual(['node', ...NODE_ARGUMENTS, 'dist/src/main.js']);
  });

  it('SC-04 runs on a read-only file system without privileges, with no secret of its own', () => {
    expect(gateway).toMatch(/read_only: true/);
    expect(gateway).toMatch(/cap_drop:\n\s+- ALL/);
    expect(gateway).toMatch(/no-new-privileges:true/);
    expect(image + gateway).not.toMatch(/(PASSWORD|SECRET|KEY)\s*[:=]\s*['"]?(?!\$\{)[\w-]+/);
  });
});

it('the service, the typed client, their lock files, the chart and the newest section of the changelog have one version', () => {
  const { version: chart, appVersion }: Document = load(read('deploy/helm/quipu/Chart.yaml'));
  const packages = ['', 'clients/typescript/'].flatMap((at) => {
    const { version, packages } = JSON.parse(read(`${at}package-lock.json`));
    return [JSON.parse(read(`${at}package.json`)).version, version, packages[''].version];
  });
  const [, newest] = /^## (\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}$/m.exec(read('CHANGELOG.md')) ?? [];
  expect(new Set([...packages, chart, appVersion, newest])).toEqual(new Set([packages[0]]));
});

describe('docker-compose.yml', () => {
  const compose = read('docker-compose.yml');

  it('needs no variable that .env.example does not name', () => {
    const needed = [...compose.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    expect(new Set(needed)).toEqual(new Set(['POSTGRES_PASSWORD', 'QUIPU_KEY_SECRET']));
    for (const name of needed) expect(read('.env.example')).toMatch(new RegExp(`^# ${name}=`, 'm'));
  });

  it('publishes the ports of the service and of the sandbox, on loopback of the host', () => {
    const [, port] = /QUIPU_SANDBOX_PORT: '(\d+)'/.exec(gateway) ?? [];
    expect(gateway).toContain('QUIPU_SANDBOX_HOST: 0.0.0.0');
    expect([...gateway.matchAll(/^ {6}- (\S+:\d+:\d+)$/gm)].map(([, one]) => one)).toEqual([
      '127.0.0.1:4000:4000',
      `127.0.0.1:${port}:${port}`,
    ]);
  });

  it.each(['docker-compose.yml', 'docs/operations.md'])('is started by one command in %s, which sets the secrets', (file) => {
    const [command = ''] = /printf .* > \.env && docker compose up --build/.exec(read(file)) ?? [];
    for (const name of ['POSTGRES_PASSWORD', 'QUIPU_KEY_SECRET']) expect(command).toContain(`${name}=%s`);
  });
});

/** A parsed document of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions state the shape
type Document = any;

const isSetting = (name: string): boolean => settings().some((one) => one.name === name);

describe('deploy/compose.yml', () => {
  const text = read('deploy/compose.yml');
  const { services, networks }: Document = load(text);
  const web = ['web-1', 'web-2'];
  const worker = ['worker-1', 'worker-2'];

  it('has two web processes and two workers with the same settings, which exist, and starts them after the migrations', () => {
    for (const name of [...web, ...worker]) {
      const { environment, depends_on: after, read_only: readOnly, cap_drop: dropped } = services[name];
      expect(environment.QUIPU_ROLES).toBe(web.includes(name) ? 'server' : 'worker');
      expect(Object.keys(environment).filter((setting) => !isSetting(setting))).toEqual([]);
      expect(after.migrate.condition).toBe('service_completed_successfully');
      expect([readOnly, dropped]).toEqual([true, ['ALL']]);
    }
    expect(services.migrate.command.slice(1)).toEqual(['dist/src/cli.js', 'migrate']);
  });

  it('sends requests through PgBouncer, and gives Postgres itself as the direct address', () => {
    const { DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct } = services['web-1'].environment;
    expect([pooled, direct].map((url: string) => /@([\w:]+)\//.exec(url)?.[1])).toEqual(['pgbouncer:6432', 'postgres:5432']);
    expect(services.migrate.environment.DATABASE_URL).toBe(direct);
  });

  it('needs the variables of .env.example, holds no secret, and publishes the proxy on loopback only', () => {
    const needed = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    expect(new Set(needed)).toEqual(new Set(['POSTGRES_PASSWORD', 'QUIPU_KEY_SECRET', 'QUIPU_SOURCES']));
    expect(text).not.toMatch(/(PASSWORD|SECRET|KEY)\s*[:=]\s*['"]?(?!\$\{)[\w-]+/);
    expect(Object.entries<Document>(services).flatMap(([name, { ports = [] }]) => ports.map((port: string) => `${name} ${port}`))).toEqual([
      'proxy 127.0.0.1:8080:8080',
    ]);
    expect(services['web-1'].environment.QUIPU_TRUSTED_PROXIES).toBe(networks.default.ipam.config[0].subnet);
  });

  it('has a proxy that sends requests to all its web processes, and to nothing else', () => {
    const [, upstreams = ''] = /^\treverse_proxy (.*) \{$/m.exec(read('deploy/Caddyfile')) ?? [];
    expect(upstreams.split(' ')).toEqual(web.map((name) => `${name}:4000`));
  });

  it('drains for longer than the proxy needs to see it, and is given the time for its shutdown', () => {
    const seconds = (given: string | undefined): number => Number(/^(\d+)s$/.exec(given ?? '')?.[1]);
    const [, interval, timeout] = /health_interval (\S+)[\s\S]*health_timeout (\S+)/.exec(read('deploy/Caddyfile')) ?? [];
    const drain = seconds(services['web-1'].environment.QUIPU_DRAIN);
    expect(drain).toBeGreaterThan(seconds(interval) + seconds(timeout));
    expect(seconds(services['web-1'].stop_grace_period)).toBeGreaterThanOrEqual(drain + 15);
  });
});

describe('the Helm chart', () => {
  const folder = 'deploy/helm/quipu';
  const values: Document = load(read(`${folder}/values.yaml`));
  const isValid = new Ajv({ strict: false }).compile(JSON.parse(read(`${folder}/values.schema.json`)));
  const given = (over: object = {}): Document => ({
    ...values,
    image: { ...values.image, repository: 'registry.example/quipu' },
    secretName: 'quipu',
    ...over,
  });
  /** The YAML of a template without its actions: lines of actions alone are left out, other actions stand for a text. */
  const skeleton = (name: string): Document[] =>
    loadAll(
      read(`${folder}/templates/${name}`)
        .replaceAll(/^\s*\{\{-?[^}]*-?\}\}\n/gm, '')
        .replaceAll(/"?\{\{[^}]*\}\}"?/g, 'x'),
    ) as Document[];
  const kinds = (name: string): string[] => skeleton(name).map((one) => one.kind);

  it('accepts its default values with an image and a secret, and refuses them without', () => {
    expect([isValid(given()), isValid.errors]).toEqual([true, null]);
    expect(isValid(values)).toBe(false);
    expect(isValid(given({ secretName: '' }))).toBe(false);
  });

  it.each([
    ['an unknown value', { replicas: 3 }],
    ['a secret among the settings', { settings: { QUIPU_KEY_SECRET: 'x' } }],
    ['a setting that is no text', { settings: { QUIPU_EXECUTIONS: 40 } }],
    ['a budget that allows no eviction', { web: { ...values.web, podDisruptionBudget: { maxUnavailable: 0 } } }],
  ])('refuses %s', (_, over) => {
    expect(isValid(given(over))).toBe(false);
  });

  it('has templates that are YAML without their actions', () => {
    const templates = readdirSync(path.resolve(import.meta.dirname, '..', folder, 'templates')).filter((name) => name.endsWith('.yaml'));
    expect(templates.flatMap(kinds)).toEqual(['Deployment', 'PodDisruptionBudget', 'Job', 'Service', 'Ingress']);
  });

  it('probes the paths of health, replaces pods one by one, and migrates before that', () => {
    const [deployment, budget] = skeleton('deployments.yaml');
    const { strategy, template } = deployment.spec;
    const [container] = template.spec.containers;
    expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect([container.livenessProbe, container.startupProbe].map(({ httpGet }) => httpGet.path)).toEqual(['/healthz', '/healthz']);
    expect(budget.spec).toHaveProperty('maxUnavailable');
    const [job] = skeleton('migrate.yaml');
    expect(job.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(job.spec.template.spec.containers[0].command.slice(1)).toEqual(['dist/src/cli.js', 'migrate']);
    const named = container.env.map(({ name }: { name: string }) => name);
    expect([...named, ...Object.keys(values.settings)].filter((name) => !isSetting(name))).toEqual([]);
  });
});
