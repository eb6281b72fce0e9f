import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HOUR_MS, SECOND_MS } from '../../src/domain/time.ts';
import { domainOwnerLoader } from '../../src/loaders/domain-owner.ts';
import { listLoader } from '../../src/loaders/list.ts';
import type { FetchingLoader } from '../../src/loaders/loader.ts';
import { ceis } from '../../src/modules/debarment/source.ts';
import { techLoader } from '../../src/modules/tech/loader.ts';

const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');

/** TTL and maximum age in the table "Age of answers". */
const documented = (loader: string): readonly (string | undefined)[] =>
  page
    .split('\n')
    .find((line) => line.startsWith(`| ${loader}`))
    ?.split(' | ')
    .slice(1, 3) ?? [];

const written = (ms: number): string => (ms < HOUR_MS ? `${ms / SECOND_MS} s` : `${ms / HOUR_MS} h`);

describe('docs/architecture.md says how long answers are kept, as their loaders do', () => {
  it.each<[string, FetchingLoader<never, never>]>([
    ['the owner of a domain', domainOwnerLoader as never],
    ['technologies of a site', techLoader as never],
    ['a published list', listLoader(ceis) as never],
  ])('%s', (name, { cache }) => {
    const value = undefined as never; // the same for every value
    expect(documented(name)).toEqual([written(cache.ttlMs(value)), written(cache.maxStaleAgeMs(value))]);
  });
});
