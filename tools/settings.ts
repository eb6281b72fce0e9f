import { type Setting, settings } from '../src/config.ts';
import type { Source, SourceInstance } from '../src/sources/source.ts';

type Sources = readonly Source<SourceInstance>[];

/** Divides the settings into those of the sources, which their page lists, and those of the service itself. */
export function settingsBySubject(sources: Sources): { readonly ofSources: readonly Setting[]; readonly own: readonly Setting[] } {
  const names = new Set(sources.flatMap(({ addresses, settings: given = {} }) => [...Object.keys(addresses), ...Object.keys(given)]));
  const { true: ofSources = [], false: own = [] } = Object.groupBy(settings(), ({ name }) => `${names.has(name)}`);
  return { ofSources, own };
}

/** Returns the text of `.env.example`. */
export const exampleEnvironment = (sources: Sources): string =>
  [
    '# docker-compose.yml needs these two. Letters and digits only: openssl rand -hex 32\n# POSTGRES_PASSWORD=\n# QUIPU_KEY_SECRET=\n',
    ...settingsBySubject(sources).own.map(({ name, description, fallback }) => `# ${description}\n# ${name}=${fallback}\n`),
    '# The settings of the sources are in docs/data-sources.md.\n',
  ].join('\n');
