import { describe, expect, it } from 'vitest';
import { createHttpClient } from '../../src/sources/http/client.ts';
import type { Source, SourceInstance } from '../../src/sources/source.ts';
import { memoryLog } from './log.ts';
import { type Reply, startUpstream } from './upstream.ts';

/** Failure modes of an upstream. */
export const FAULTS = [
  'answers 500',
  'answers a 404 that is no absence',
  'sends half a body',
  'sends another format',
  'sends another type',
  'hangs',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Result for the caller: the code of the error, or the value that was returned in spite of the fault. */
export type Outcome = string | { readonly returned: unknown };

/**
 * Declares a test for each fault: the call fails with SOURCE_UNAVAILABLE when the upstream has the fault. `test/sources/contract.test.ts`
 * requires this call for each live source. The source is passed by a constant with the name of the source in camel case.
 */
export const describeUpstreamFaults = <S extends SourceInstance>(source: Source<S>, call: (instance: S) => Promise<unknown>) =>
  describe.concurrent(`the live source ${source.name}`, () => {
    it.each(FAULTS)('is a failed source when its upstream %s', { timeout: 30_000 }, async (fault) => {
      expect(await outcomeOf(source, call, fault)).toBe('SOURCE_UNAVAILABLE');
    });
  });

const HTTP_FAULTS: Readonly<Record<Fault, Reply>> = {
  'answers 500': { status: 500, body: 'Internal Server Error' },
  'answers a 404 that is no absence': { status: 404, body: '<html><title>404 Not Found</title></html>' },
  'sends half a body': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('[{"cnpj":', () => response.socket?.destroy());
  },
  'sends another format': { headers: { 'content-type': 'text/html' }, body: '<html><title>Maintenance</title></html>' },
  'sends another type': { body: 'null' },
  hangs: () => undefined,
};

async function outcomeOf<S extends SourceInstance>(
  source: Source<S>,
  call: (instance: S) => Promise<unknown>,
  fault: Fault,
): Promise<Outcome> {
  const { url, close } = await startUpstream(() => HTTP_FAULTS[fault]);
  const instance = createLiveSource(source, url);
  return outcome(call(instance)).finally(() => Promise.all([instance.close?.(), close()]));
}

/** Creates a source whose URL settings all lead to one address. Its clock runs, so that its own deadlines end a call that hangs. */
export function createLiveSource<S extends SourceInstance>(source: Source<S>, url: string): S {
  const { log } = memoryLog();
  const never = (): never => {
    throw new Error('a live call needs no database, no site and no name server');
  };
  return source.create({
    address: () => ({ url, origin: 'given' }),
    setting: (name) => source.settings?.[name]?.sandbox ?? source.settings?.[name]?.fallback ?? '',
    http: ({ concurrency = 16 } = {}) => createHttpClient({ source: source.name, concurrency, now: Date.now, random: () => 0, log }),
    get outbound(): never {
      return never();
    },
    get dns(): never {
      return never();
    },
    db: Object.assign(never, { raw: never }) as never,
    now: Date.now,
    random: () => 0,
    log,
    tempDir: '',
  });
}

export const outcome = (call: Promise<unknown>): Promise<Outcome> =>
  call.then(
    (returned) => ({ returned }),
    (error: Error & { code?: string }) => error.code ?? String(error),
  );
