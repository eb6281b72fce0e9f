import { dataFolder, type Run, run } from '../support/process.ts';

/** The standard ceiling of one operation, and points for all of them. */
const PLANS = { standard: { graphql: { perMinute: 1_000_000_000, burst: 1_000_000_000 }, monitor: { rate: null } } };

/** The service on its sandbox, in a process that tells how long its event loop was blocked. */
export interface MeasuredService {
  readonly pid: number;
  readonly sandboxUrl: string;
  /** Milliseconds of CPU time of the longest block of the event loop since the last call. */
  longestBlock(): Promise<number>;
  /** Sends an operation with a key of all modules. */
  // biome-ignore lint/suspicious/noExplicitAny: answers to generated operations
  query(text: string, variables?: object): Promise<{ readonly status: number; readonly body: any }>;
}

/** Starts the service for one test. */
export async function startMeasured(): Promise<MeasuredService> {
  const service: Run = run('test/long/measured-process.ts', [], {
    PORT: '0',
    QUIPU_DATA_DIR: await dataFolder(),
    LOG_LEVEL: 'silent',
    QUIPU_PLANS: JSON.stringify(PLANS),
  });
  const [, blockedUrl = ''] = await service.printed(/^Blocked: (http:\S+)$/m);
  const [, key = ''] = await service.printed(/Demo key[^:]*: (sk_\w+)/);
  const [, sandboxUrl = ''] = await service.printed(/made-up world at (\S+)/);
  const [, url = ''] = await service.printed(/Quipu answers at (\S+)[\s\S]*Explorer:\n/);
  const longestBlock = async () => Number(await (await fetch(blockedUrl)).text());
  const query: MeasuredService['query'] = async (text, variables) => {
    const response = await fetch(new URL('/graphql', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ query: text, variables }),
    });
    return { status: response.status, body: await response.json() };
  };
  return { pid: service.child.pid ?? 0, sandboxUrl, longestBlock, query };
}
