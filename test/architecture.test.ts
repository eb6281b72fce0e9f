import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectOf, readProject } from './architecture/project.ts';
import * as rules from './architecture/rules.ts';

/** The rules of docs/architecture.md. Each is shown to find a planted violation before it is applied to the project. */

const root = path.resolve(import.meta.dirname, '..');
const project = readProject(root, 'src', 'sandbox', 'bench', 'test');
const product = new Map([...project].filter(([file]) => !file.startsWith('test/')));
/** The programs that use the service from outside. */
const outside = readProject(root, 'dashboard', 'clients');
const everything = new Map([...project, ...outside]);

interface Case {
  readonly rule: rules.Rule;
  /** Files that break the rule. */
  readonly planted: Readonly<Record<string, string>>;
  /** What the rule says of them. */
  readonly found: readonly string[];
}

/** Rules of a larger project. The others are for `src`, `sandbox` and `bench`. */
const COVERED = new Map([
  [rules.filesFormNoCycle, new Map([...product, ...outside])],
  [rules.foldersFormNoCycle, new Map([...product, ...outside])],
  [rules.filesAreShort, project],
  [rules.identifiersUseNoRetiredWord, everything],
  [rules.commentsHaveASubject, everything],
]);

const long = 'export {};\n'.repeat(301);

const CASES: Readonly<Record<string, Case>> = {
  'every file has a layer': {
    rule: rules.everyFileHasALayer,
    planted: { 'src/misc/thing.ts': '', 'src/domain/tax-id.ts': '' },
    found: ['src/misc/thing.ts'],
  },
  'no import points outward, to a missing file or out of src': {
    rule: rules.importsPointInward,
    planted: {
      'src/domain/tax-id.ts': "import { load } from '../loaders/loader.ts';\nimport type { Gone } from './gone.ts';",
      'src/loaders/loader.ts': "import { formatCnpj } from '../domain/tax-id.ts';\nimport { testDb } from '../../test/support/db.ts';",
      'src/server/health.ts': "import { QuipuError } from '../../clients/typescript/src/error.ts';",
      'src/cli/watch.ts': "import { QuipuError } from '../../clients/typescript/src/error.ts';",
    },
    found: [
      'src/domain/tax-id.ts → src/loaders/loader.ts',
      'src/domain/tax-id.ts → src/domain/gone.ts',
      'src/loaders/loader.ts → test/support/db.ts',
      'src/server/health.ts → clients/typescript/src/error.ts',
    ],
  },
  'no imports of files form a cycle, types included': {
    rule: rules.filesFormNoCycle,
    planted: {
      'bench/a.ts': "import { b } from './b.ts';",
      'bench/b.ts': "import type { A } from './a.ts';",
      'dashboard/pages/page.tsx': "import { Card } from './card.tsx';\nexport type Company = string;",
      'dashboard/pages/card.tsx': "import type { Company } from './page.tsx';",
    },
    found: ['bench/a.ts → bench/b.ts → bench/a.ts', 'dashboard/pages/page.tsx → dashboard/pages/card.tsx → dashboard/pages/page.tsx'],
  },
  'no folders form a cycle': {
    rule: rules.foldersFormNoCycle,
    planted: {
      'src/auth/a.ts': "import { b } from '../modules/monitor/b.ts';",
      'src/modules/monitor/b.ts': '',
      'src/modules/monitor/c.ts': "import { d } from '../../auth/d.ts';",
      'src/auth/d.ts': '',
    },
    found: ['src: auth → modules → auth'],
  },
  'the sandbox is loaded on demand': {
    rule: rules.sandboxIsLoadedOnDemand,
    planted: {
      'src/app.ts': "import type { Sandbox } from '../sandbox/index.ts';\nawait import('../sandbox/index.ts');",
      'src/cli.ts': "import { findSandbox } from '../sandbox/index.ts';",
      'src/modules/kyb/index.ts': "import type { Simulator } from '../../../sandbox/upstreams/simulator.ts';",
    },
    found: ['src/cli.ts → sandbox/index.ts', 'src/modules/kyb/index.ts → sandbox/upstreams/simulator.ts'],
  },
  'commands do not load the server': {
    rule: rules.commandsLoadNoServer,
    planted: {
      'src/cli/program.ts': "import { createLog } from '../app.ts';\nawait import('../server/http.ts');",
      'src/app.ts': "import fastify from 'fastify';\nimport type { Server } from './server/http.ts';",
    },
    found: ['src/cli → fastify'],
  },
  'names and scheduling import the domain only, evidence also what stores need; the sandbox shares no code with the readers of its formats':
    {
      rule: rules.enginesImportFewFolders,
      planted: {
        'src/names/score.ts':
          "import { align } from './align.ts';\nimport { folded } from '../domain/text.ts';\nimport { sha } from '../evidence/seal.ts';",
        'src/scheduling/fair-slots.ts': "import type { Caller } from '../context.ts';",
        'src/evidence/evidence.ts':
          "import { createDb } from '../db/knex.ts';\nimport type { Compliance } from '../modules/compliance/loader.ts';",
        'sandbox/upstreams/pncp.ts': "import { pncp } from '../../src/modules/tenders/sources/pncp/pncp.ts';",
      },
      found: [
        'src/names/score.ts → src/evidence/seal.ts',
        'src/scheduling/fair-slots.ts → src/context.ts',
        'src/evidence/evidence.ts → src/modules/compliance/loader.ts',
        'sandbox/upstreams/pncp.ts → src/modules/tenders/sources/pncp/pncp.ts',
      ],
    },
  'SQL stays in stores, gauges and account data, but for listed files': {
    rule: rules.sqlStaysInStores,
    planted: {
      'src/modules/kyb/loader.ts': 'const { rows } = await db.raw(COUNT);',
      'src/modules/kyb/service/claims.ts': '/** SELECT */\nconst CLAIM = `\n  SELECT id FROM companies`;',
      'src/modules/kyb/service/erasure.ts': "await trx('companies').delete();",
      'src/modules/kyb/service/gauges.ts': "values('SELECT count(*) AS value FROM companies')",
      'src/modules/kyb/store/companies.ts': "await db('companies').select(); // db.raw(",
      'src/modules/kyb/domain.ts': "// db.raw('SELECT 1')\nconst text = 'Select a company.';",
      'src/jobs/job.ts': '',
    },
    found: [
      'src/modules/kyb/loader.ts contains SQL',
      'src/modules/kyb/service/claims.ts contains SQL',
      'src/modules/kyb/service/erasure.ts contains SQL',
      'src/jobs/job.ts contains no SQL and needs no exception',
    ],
  },
  'the core names no module': {
    rule: rules.coreNamesNoModule,
    planted: {
      'src/auth/erasure.ts': "import { forget } from '../modules/monitor/store.ts';",
      'src/cli.ts': "import { monitor } from './modules/monitor/service.ts';",
    },
    found: ['src/auth/erasure.ts → src/modules/monitor/store.ts'],
  },
  'GraphQL and REST do not import each other': {
    rule: rules.interfacesShareNothing,
    planted: {
      'src/modules/kyb/rest/branches.ts': "import { toBranchCursor } from '../graphql/branches.ts';\nimport { toKyb } from '../domain.ts';",
      'src/modules/kyb/graphql/branches.ts': "import { CompanyType } from '../../../graphql/company.ts';",
      'src/rest/fields.ts': "import { LIMITS } from '../graphql/limits.ts';",
      'src/server/rest.ts': "import { LIMITS } from '../graphql/limits.ts';",
    },
    found: ['src/modules/kyb/rest/branches.ts → src/modules/kyb/graphql/branches.ts', 'src/rest/fields.ts → src/graphql/limits.ts'],
  },
  'modules have plain values and promises, and leave fast paths and kept results to a few functions': {
    rule: rules.modulesHaveNoFastPaths,
    planted: {
      'src/modules/kyb/loader.ts': "import { whenKnown as then } from '../../domain/answer.ts';\nconst kept = keepByParts(toKyb);",
      'src/modules/kyb/domain.ts': "// keepByParts\nconst name = 'whenKnown';",
      'src/loaders/derived-from.ts': 'whenKnown(answer, read);',
    },
    found: ['src/modules/kyb/loader.ts: whenKnown', 'src/modules/kyb/loader.ts: keepByParts'],
  },
  'SS-05 packages stay home, those that open sockets too': {
    rule: rules.packagesStayHome,
    planted: {
      'src/modules/kyb/loader.ts':
        "import { request } from 'undici';\nimport type { Knex } from 'knex';\nconst net = await import('node:net');",
      'src/sources/http/client.ts': "import { request } from 'undici';",
    },
    found: ['src/modules/kyb/loader.ts: undici', 'src/modules/kyb/loader.ts: node:net'],
  },
  'the domain imports no packages': {
    rule: rules.domainHasNoPackages,
    planted: { 'src/domain/time.ts': "import { z } from 'zod';" },
    found: ['src/domain/time.ts'],
  },
  'no file is longer than 300 lines': {
    rule: rules.filesAreShort,
    planted: { 'src/app.ts': long, 'src/main.ts': long.slice(11) },
    found: ['src/app.ts: 301 lines'],
  },
  'general file names are unique': {
    rule: rules.namesAreUnique,
    planted: { 'src/server/usage.ts': '', 'src/metering/usage.ts': '' },
    found: ['usage: src/server/usage.ts, src/metering/usage.ts'],
  },
  'no identifier or file name uses a retired word': {
    rule: rules.identifiersUseNoRetiredWord,
    planted: {
      'src/metering/toll.ts': "/** toll */\nconst openLanes = 'told'; const explained = lanesOf(tollBooth); const epochMs = 0;",
      'src/sources/visited.ts': 'const MOST_FILES = 2; const mostly = MAX_FILES;',
      'src/sources/http/source-policy.ts': 'const heldMs = pausedMs;',
      'src/modules/monitor/store/held-changes.ts': 'const heldChanges = [];',
      'test/sources/visit.test.ts': 'const { asked, edition } = await visit();',
      'test/sources/longest-reach.ts': 'const nextTurn = setImmediate;',
      'dashboard/pages/strip.tsx': 'const Strip = ({ heardAt }) => <p>{ago(heardAt)}</p>;',
    },
    found: [
      'src/metering/toll.ts: toll',
      'src/metering/toll.ts: openLanes',
      'src/metering/toll.ts: lanesOf',
      'src/metering/toll.ts: tollBooth',
      'src/sources/visited.ts: MOST_FILES',
      'src/sources/http/source-policy.ts: heldMs',
      'test/sources/visit.test.ts: edition',
      'test/sources/longest-reach.ts: longest-reach',
      'dashboard/pages/strip.tsx: heardAt',
    ],
  },
  'comments have a subject': {
    rule: rules.commentsHaveASubject,
    planted: {
      'src/cache/kept.ts': [
        '/** What is kept of an answer. */',
        '/**',
        ' * Whether it is fresh.',
        ' * Of two lines the first counts.',
        ' */',
        'const isFresh = true; // of this tick',
        '// The same for lists,',
        '// as one of several lines.',
        "const url = 'https://example.com'; // As of 2026, the address of the registry.",
        '/** More than one process may call it, as long as it is open. */',
        '/** Returns what is kept. */',
      ].join('\n'),
      'dashboard/pages/card.tsx': '<p>{/* As high as its rows. */}</p>;',
      'test/cache/kept.test.ts': '/** What is tested. */',
      'test/support/kept.ts': '/** More answers. */',
    },
    found: [
      'src/cache/kept.ts: What is kept of an answer.',
      'src/cache/kept.ts: Whether it is fresh.',
      'src/cache/kept.ts: of this tick',
      'src/cache/kept.ts: The same for lists,',
      'dashboard/pages/card.tsx: As high as its rows.',
      'test/support/kept.ts: More answers.',
    ],
  },
};

describe('the architecture', () => {
  it.each(Object.entries(CASES))('finds a planted violation: %s', (_, { rule, planted, found }) => {
    expect(rule(projectOf(planted))).toEqual(found);
  });

  it.each(Object.entries(CASES))('%s', (_, { rule }) => {
    expect(rule(COVERED.get(rule) ?? product)).toEqual([]);
  });

  it('has a case for every rule', () => {
    const applied = new Set(Object.values(CASES).map(({ rule }) => rule));
    const exported = Object.entries(rules).filter(([name]) => name !== 'linesOf');
    expect(exported.filter(([, rule]) => !applied.has(rule as rules.Rule)).map(([name]) => name)).toEqual([]);
  });
});
