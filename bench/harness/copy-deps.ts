import type { SourceDeps } from '../../src/sources/source.ts';
import { built } from './built.ts';

const unused = (): never => {
  throw new Error('a copy that is loaded from files has no use for this');
};

/** Creates what the copy of a source needs to load files from the disk: without outbound requests and, unless given, without settings. */
export async function copyDeps(given: Pick<SourceDeps, 'address' | 'db' | 'tempDir'> & Partial<SourceDeps>): Promise<SourceDeps> {
  const { createLog } = await built<typeof import('../../src/app/log.ts')>('src/app/log');
  return {
    setting: unused,
    http: unused,
    get outbound() {
      return unused();
    },
    get dns() {
      return unused();
    },
    now: Date.now,
    random: Math.random,
    log: createLog({ logLevel: 'warn' }),
    ...given,
  };
}
