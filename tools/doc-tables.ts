import { scalingTables } from '../bench/capacity/command.ts';
import type { Setting } from '../src/config.ts';
import { MODULE_DESCRIPTIONS, TIME_BUDGETS } from '../src/domain/catalogue.ts';
import { OPTIONAL_LISTS, type OptionalList, optionalLists } from '../src/domain/optional-lists.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../src/domain/time.ts';
import { TOOLS } from '../src/mcp/tools.ts';
import { isRegistrySource, type RegistrySpec } from '../src/sources/registry/registry.ts';
import type { Source, SourceInstance } from '../src/sources/source.ts';
import { retryableCodes } from './error-codes.ts';
import { settingsBySubject } from './settings.ts';

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const code = (text: string): string => (text ? `\`${text}\`` : '');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

const settingsTable = (all: readonly Setting[]): string =>
  table(
    ['Setting', 'Default', 'Meaning'],
    all.map(({ name, description, fallback }) => [code(name), code(fallback), description]),
  );

/**
 * Names of the lists that have generated sections: the optional ones of `debarment`. The optional sanctions lists have written sections, in
 * the page among those of the other sanctions lists.
 */
const SECTIONS: readonly string[] = optionalLists({ check: 'debarment' });

/** Returns the section of an optional list. */
function optionalListSection({ name, attribution, coverage = [], setting, terms, address, requestBody }: RegistrySpec<unknown>): string {
  const facts = OPTIONAL_LISTS[name as OptionalList];
  const rows = [
    ['Check', code(facts.check)],
    ['In verdicts', facts.mayDecide ? 'of accounts that choose it' : 'never'],
    ['Setting', [setting, ...(terms ? [terms.setting] : [])].map(code).join(', ')],
    ['Address', `${code(address.live)}${requestBody === undefined ? '' : `, by \`POST\` with ${code(requestBody)}`}`],
    ['Format', address.description],
    ['Attribution', attribution],
  ];
  return `\n## ${name}\n\n${facts.description}\n\n| | |\n|---|---|\n${rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}\n${coverage.map((line) => `- ${line}\n`).join('')}`;
}

/** Returns the hosts that live mode calls, in the order of the sources. */
const addressTable = (sources: readonly Source<SourceInstance>[]): string =>
  table(
    ['Setting', 'Host', 'Source', 'Also redirects to'],
    sources.flatMap((source) =>
      Object.entries(source.addresses).map(([setting, { live }]) => [
        code(setting),
        live === '' ? 'your own' : code(new URL(live.replace('{date}', '')).host),
        code(source.name),
        (isRegistrySource(source) ? (source.spec.redirectHosts ?? []) : []).map(code).join(', '),
      ]),
    ),
  );

/** Generates the tables of the docs: page → name of the table → its text. */
export function docTables(sources: readonly Source<SourceInstance>[]): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const { own, ofSources } = settingsBySubject(sources);
  return {
    'docs/configuration.md': {
      settings: settingsTable(own),
    },
    'docs/going-live.md': { addresses: addressTable(sources) },
    'docs/api-rest.md': {
      modules: table(
        ['Module', 'Grants'],
        Object.entries(MODULE_DESCRIPTIONS).map(([name, description]) => [code(name), description]),
      ),
    },
    'docs/graphql.md': { retryable: `${retryableCodes.map(code).join(', ')}\n` },
    'docs/mcp.md': {
      tools: table(
        ['Tool', 'Arguments', 'Does'],
        TOOLS.map(({ name, input, description }) => [code(name), Object.keys(input.shape).map(code).join(', '), description]),
      ),
    },
    'docs/scaling.md': Object.fromEntries(Object.entries(scalingTables()).map(([name, { head, rows }]) => [name, table(head, rows)])),
    'docs/data-sources.md': {
      settings: settingsTable(ofSources),
      lists: table(
        ['List', 'Sync interval', 'Fails after', 'Rows', 'Maximum shrink', 'Maximum growth'],
        sources
          .filter(isRegistrySource)
          .map(({ spec: { name, everyMs, staleAfterMs, guard } }) => [
            name,
            `${everyMs / HOUR_MS} h`,
            `${staleAfterMs / DAY_MS} days`,
            guard.maxRows === undefined ? `${guard.minRows}` : `${guard.minRows} to ${guard.maxRows}`,
            percent(guard.maxShrink),
            percent(guard.maxGrowth),
          ]),
      ),
      'optional-upstreams': table(
        ['Source', 'Path'],
        sources
          .filter(isRegistrySource)
          .filter(({ name }) => SECTIONS.includes(name))
          .map(({ name, spec: { address, requestBody } }) => [
            code(name),
            `${code(address.sandbox)}${requestBody === undefined ? '' : ', by `POST`'}`,
          ]),
      ),
      optional: sources
        .filter(isRegistrySource)
        .filter(({ name }) => SECTIONS.includes(name))
        .map(({ spec }) => optionalListSection(spec))
        .join(''),
      sources: table(
        ['Source', 'Time budget', 'Attribution'],
        sources.map(({ name, attribution }) => [
          code(name),
          name in TIME_BUDGETS ? `${TIME_BUDGETS[name as keyof typeof TIME_BUDGETS] / SECOND_MS} s` : '',
          attribution,
        ]),
      ),
    },
  };
}
