import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type GraphQLError, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { companyByScenario } from '../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../sandbox/world/colombia.ts';
import { settings } from '../src/config.ts';
import { TIME_BUDGETS } from '../src/domain/catalogue.ts';
import { RETRYABLE } from '../src/domain/errors.ts';
import { SECOND_MS } from '../src/domain/time.ts';
import { buildSchema } from '../src/graphql/schema.ts';
import { modules, resolvers } from '../src/modules/index.ts';
import { coreRoutes } from '../src/rest/account-routes.ts';
import type { Route } from '../src/rest/route.ts';
import { nameOf } from '../tools/openapi.ts';
import { ERRORS } from '../tools/openapi-errors.ts';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

const schema = buildSchema(resolvers, { federation: true });
const routes = [...coreRoutes, ...modules.flatMap((module) => module.routes)];
/** `:id` of a path, as the docs write it. */
const written = (at: string): string => at.replaceAll(/:(\w+)/g, '{$1}');
const routeOf = (at: string, method = 'POST') => {
  const route = routes.find((one) => written(one.path) === at && one.method === method);
  if (!route) throw new Error(`no such endpoint: ${method} ${at}`);
  return route;
};

const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).sort();

/** A fenced block: `where` for messages, `info` behind the opening fence, e.g. `sh run`, `json reply /v1/kyb`, `json reply GET /v1/…`. */
interface Block {
  readonly where: string;
  readonly info: readonly string[];
  readonly text: string;
}

const blocks: readonly Block[] = pages.flatMap((page) =>
  [...read(page).matchAll(/^```(\S.*)\n([\s\S]*?)^```$/gm)].map(({ 1: info = '', 2: text = '', index }) => ({
    where: `${page}:${read(page).slice(0, index).split('\n').length}`,
    info: info.trim().split(/\s+/),
    text,
  })),
);
const inLanguage = (language: string): readonly Block[] => blocks.filter(({ info }) => info[0] === language);

/** A CNPJ in any spelling, or a RUT with its dots. */
const TAX_ID = /[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}\/?[0-9A-Z]{4}-?\d{2}\b|\b\d{2}\.\d{3}\.\d{3}-[\dK]/g;

function taxIdOf(scenario: string): string {
  if (scenario.startsWith('cl-')) return chileanByScenario(scenario).rut;
  return scenario.startsWith('co-') ? colombianByScenario(scenario).nit : companyByScenario(scenario).cnpj;
}

/** The issues of a body, with a parameter for each of the path. */
function inputProblems({ path: at, body }: Route, value: unknown): readonly unknown[] {
  const parameters = Object.fromEntries([...at.matchAll(/:(\w+)/g)].map(([, name]) => [name, 'mon_1']));
  return body.safeParse({ ...Object(value), ...parameters }).error?.issues ?? [];
}

const problemsOf = (document: string): readonly GraphQLError[] => validate(schema, parse(document));

/** `curl … -X PATCH "$URL/v1/kyb" … -d '{…}'` → method, path and body of each call of a script. */
const callsOf = (script: string) =>
  [...script.matchAll(/(?:-X (\w+) )?"?\$\{?URL\}?(\/[\w/-]*)[^\n]*?(?:\\\n[^\n]*?)*?-d '([^']*)'/g)].map(
    ([, method = 'POST', at = '', body = '']) => ({ method, at: at.replace(/\/mon_\w+/, '/{id}'), body: JSON.parse(body) }),
  );

describe('the docs', () => {
  it('SC-06 list settings, lists, sources, modules and the schema as `npm run codegen` generates them', () => {
    const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'codegen.ts', '--check'], { cwd: root, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }, 120_000);

  it('UP-01 promise the time budgets of live sources, and the default deadline of a request', () => {
    const promise = /^\| UP-01 \| (Every source call .*)$/m.exec(read('docs/promises.md'))?.[1] ?? '';
    const budgets = new Set<number>(Object.values(TIME_BUDGETS));
    const seconds = [...budgets].map((ms) => ms / SECOND_MS).sort((one, other) => one - other);
    expect(promise).toContain(` of ${seconds.join(' or ')} s,`);
    const fallback = settings().find(({ name }) => name === 'QUIPU_DEADLINE')?.fallback;
    expect(promise).toContain(`a request within ${fallback?.replace('s', ' s')}`);
  });

  it('describe every source in one section', () => {
    const headings = [...read('docs/data-sources.md').matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
    const names = [...new Set(modules.flatMap((module) => module.sources.map(({ name }) => name)))];
    const sectionsOf = (name: string) => headings.filter((heading) => heading.split(/[\s:,]+/).includes(name));
    expect(names.filter((name) => sectionsOf(name).length !== 1)).toEqual([]);
  });

  it('name lines of the log that the service writes', () => {
    const [, logs = ''] = read('docs/operations.md').split('\n## Logs\n');
    const cells = [...logs.matchAll(/^\| (`[^|]+) \| [A-Za-z]/gm)].map(([, cell = '']) => cell);
    const messages = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message));
    const code = globSync('src/**/*.ts', { cwd: root }).map(read).join('\n');
    expect(messages.length).toBeGreaterThan(5);
    expect(messages.filter((message) => !code.includes(`'${message}'`))).toEqual(['msg']);
  });

  it('name every endpoint, and every field of its body and reply', () => {
    const page = read('docs/api-rest.md');
    const fields = routes.flatMap(({ body, reply }) => [
      ...fieldsOf(z.toJSONSchema(body, { io: 'input' })),
      ...fieldsOf(z.toJSONSchema(reply)),
    ]);
    expect(routes.filter(({ method, path: at }) => !page.includes(`### ${method} ${written(at)}\n`))).toEqual([]);
    expect(fields.filter((field) => !page.includes(`"${field}"`) && !page.includes(`\`${field}\``))).toEqual([]);
  });

  it('name every error code of GraphQL', () => {
    const codes = [
      ...[
        ...read('src/domain/errors.ts').matchAll(/^ {2}([A-Z_]+): (?:true|false),$/gm),
        ...read('src/graphql/limits.ts').matchAll(/^ {2}\| '([A-Z_]+)'/gm),
      ],
      ...['prepare-operation.ts', 'route.ts'].flatMap((file) => [...read(`src/server/graphql/${file}`).matchAll(/'([A-Z]+_[A-Z_]+)'/g)]),
      ...read('src/graphql/limits/validate-operation.ts').matchAll(/'([A-Z]+_[A-Z_]+)'/g),
    ].map(([, code = '']) => code);
    const page = read('docs/graphql.md');
    expect(codes.length).toBeGreaterThan(40);
    expect([...new Set(codes)].filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
    expect(page).toContain('`BAD_REQUEST`');
  });

  it('name every error code of REST, and those after which a request may be repeated', () => {
    const page = read('docs/rest-conventions.md');
    const [, table = '', retry = ''] =
      /\n## Errors\n([\s\S]*?)\nThe same request may succeed later ([\s\S]*?)If the reply/.exec(page) ?? [];
    const codes = Object.keys(ERRORS) as (keyof typeof ERRORS)[];
    expect(codes.map(nameOf).filter((code) => !table.includes(`\`${code}\``))).toEqual([]);
    const retryable: ReadonlySet<string> = new Set(Object.entries(RETRYABLE).flatMap(([code, is]) => (is ? [code] : [])));
    const named = [...retry.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code);
    expect(named.sort()).toEqual(
      codes
        .filter((code) => retryable.has(code))
        .map(nameOf)
        .sort(),
    );
  });

  it('show searches that find something', () => {
    const replies = inLanguage('json').filter(({ info }) => info[1] === 'reply');
    expect(replies.filter(({ text }) => /"results": \[\]|"total": 0/.test(text)).map(({ where }) => where)).toEqual([]);
  });

  it('name files of the sources that exist; the recipes name files that they would add', () => {
    const missing = pages
      .filter((page) => !page.startsWith('docs/recipes/') && page !== 'CHANGELOG.md')
      .flatMap((page) =>
        [...read(page).matchAll(/`((?:src|test|bench|dashboard)\/[\w./-]+)`/g)]
          .filter(([, target = '']) => !existsSync(path.join(root, target)))
          .map(([, target]) => `${page}: ${target}`),
      );
    expect(missing).toEqual([]);
  });

  it('put no tax id into a script but that of the scenario named above it', () => {
    const wrong = inLanguage('sh').flatMap(({ where, text }) => {
      const named = [...text.matchAll(/# scenario: ([\w, -]+)/g)]
        .flatMap(([, scenarios = '']) => scenarios.trim().split(/,\s*/))
        .map(taxIdOf);
      const written = [...text.matchAll(TAX_ID)].map(([id]) => id.replace(/[./-]/g, ''));
      return written.filter((id) => !named.includes(id)).map((id) => `${where} ${id}`);
    });
    expect(wrong).toEqual([]);
  });
});

describe('the examples', () => {
  it.each(inLanguage('graphql'))('$where is a query that the schema answers', ({ text }) => {
    expect(problemsOf(text)).toEqual([]);
  });

  it.each(inLanguage('json'))('$where is JSON, of the shape that it says', ({ info: [, kind, ...asked], text }) => {
    const value: unknown = JSON.parse(text);
    const [at = '', method] = asked.reverse();
    if (kind === 'request') expect(inputProblems(routeOf(at, method), value)).toEqual([]);
    if (kind === 'reply') expect(routeOf(at, method).reply.parse(value)).toEqual(value);
  });

  it.each(inLanguage('sh'))('$where is a script that a shell can read', ({ text }) => {
    expect(spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  it.each(inLanguage('sh').flatMap(({ where, text }) => callsOf(text).map((call) => ({ where, ...call }))))(
    '$where asks $at what it takes',
    ({ method, at, body }) => {
      if (at === '/graphql') expect(problemsOf(body.query)).toEqual([]);
      else expect(inputProblems(routeOf(at, method), body)).toEqual([]);
    },
  );

  it.each(globSync('schema/operations/*.graphql', { cwd: root }).sort())('%s is one operation, named as its file', (file) => {
    const words = path.basename(file, '.graphql').split('-');
    const name = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
    const operations = parse(read(file)).definitions.filter(({ kind }) => kind === 'OperationDefinition');
    expect(problemsOf(read(file))).toEqual([]);
    expect(operations).toMatchObject([{ name: { value: name } }]);
  });
});

/** Names of all properties of a JSON schema, nested ones included. */
function fieldsOf(shape: unknown): string[] {
  if (typeof shape !== 'object' || shape === null) return [];
  const own = 'properties' in shape && typeof shape.properties === 'object' ? Object.keys(shape.properties ?? {}) : [];
  return [...own, ...Object.values(shape).flatMap(fieldsOf)];
}
