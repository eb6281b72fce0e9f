import type { Knex } from 'knex';
import { onTestFinished } from 'vitest';
import { createHttpClient } from '../../../src/sources/http/client.ts';
import type { Address, Source, SourceInstance } from '../../../src/sources/source.ts';
import { memoryLog } from '../../support/log.ts';

export interface Surroundings {
  /** The URL of every address of the source. */
  readonly url: string;
  readonly origin?: Address['origin'];
  readonly settings?: Readonly<Record<string, string>>;
  readonly db?: Knex;
  readonly now?: () => number;
}

/** Throws on every access. */
const NO_DATABASE = new Proxy({} as Knex, {
  get() {
    throw new Error('this source needs no database here');
  },
});

/** Builds a source for one test. `logged` returns its log lines. */
export function built<T extends SourceInstance>(
  source: Source<T>,
  { url, origin = 'given', settings = {}, db, now = Date.now }: Surroundings,
): T & { readonly logged: () => string } {
  const { log, lines } = memoryLog();
  const instance = source.create({
    address: () => ({ url, origin }),
    setting: (name) => settings[name] ?? source.settings?.[name]?.fallback ?? '',
    http: ({ concurrency = 16 } = {}) => createHttpClient({ source: source.name, concurrency, now, random: () => 0, log }),
    get outbound(): never {
      throw new Error('this source asks no site of a caller');
    },
    get dns(): never {
      throw new Error('this source asks no name server');
    },
    db: db ?? NO_DATABASE,
    random: () => 0,
    now,
    log,
    tempDir: '',
  });
  onTestFinished(() => instance.close?.());
  return { ...instance, logged: () => JSON.stringify(lines) };
}
