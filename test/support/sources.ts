import { onTestFinished } from 'vitest';
import { createHttpClient } from '../../src/sources/http/client.ts';
import type { Address, Source, SourceInstance } from '../../src/sources/source.ts';
import { memoryLog } from './log.ts';

/** Creates one live source without the service, with its addresses by setting. A setting that is omitted is switched off. */
export function liveSource<T extends SourceInstance>(
  source: Source<T>,
  addresses: Readonly<Record<string, string>>,
  origins: Readonly<Record<string, Address['origin']>> = {},
): T {
  const { log } = memoryLog();
  const instance = source.create({
    address: (setting) => ({ url: addresses[setting] ?? '', origin: origins[setting] ?? 'given' }),
    setting: (name) => source.settings?.[name]?.fallback ?? '',
    get outbound(): never {
      throw new Error('this source asks no site of a caller');
    },
    get dns(): never {
      throw new Error('this source asks no name server');
    },
    random: () => 0,
    http: ({ concurrency = 16 } = {}) => createHttpClient({ source: source.name, concurrency, now: Date.now, random: () => 0, log }),
    get db(): never {
      throw new Error('a live source uses no database');
    },
    now: Date.now,
    log,
    tempDir: '',
  });
  onTestFinished(() => instance.close?.());
  return instance;
}
