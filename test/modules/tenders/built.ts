import type { Knex } from 'knex';
import { onTestFinished } from 'vitest';
import { createHttpClient } from '../../../src/sources/http/client.ts';
import type { Address, Source, SourceInstance } from '../../../src/sources/source.ts';
import { memoryLog } from '../../support/log.ts';

export interface Surroundings {
  /** Where every address of the source leads. */
  readonly url: string;
  readonly origin?: Address['origin'];
  readonly settings?: Readonly<Record<string, string>>;
  readonly db?: Knex;
  readonly now?: () => number;
}

/** Fails whoever asks it. */
const NO_DATABASE = new Proxy({} as Knex, {
  get() {
    throw new Error('this source needs no database here');
  },
});

/** A source built by itself, for one test, with what it logged. */
export function built<T extends SourceInstance>(
  source: Source<T>,
  { url, origin = 'given', settings = {}, db, now = Date.now }: Surroundings,
): T & { readonly logged: () => string } {
  const { log, lines } = memoryLog();
  const instance = source.create({
    address: () => ({ url, origin }),
    setting: (name) => settings[name] ?? source.settings?.[name]?.fallback ?? '',
    http: ({ concurrency = 16 } = {}) => createHttpClient({ source: source.name, concurrency, now: Date.now, random: () => 0, log }),
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
