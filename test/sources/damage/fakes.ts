import type { SimulatedRequest, Simulator } from '../../../sandbox/upstreams/simulator.ts';
import { encode } from '../../../sandbox/upstreams/simulator.ts';
import { MutableWorld } from '../../../sandbox/world/mutable-world.ts';
import { sourceUnavailable } from '../../../src/domain/errors.ts';
import type { HttpClient } from '../../../src/sources/http/client.ts';
import type { HttpAnswer } from '../../../src/sources/http/failure.ts';
import { HttpFailure } from '../../../src/sources/http/failure.ts';
import type { Source, SourceInstance } from '../../../src/sources/source.ts';
import type { Document } from '../../support/damage.ts';
import { memoryLog } from '../../support/log.ts';

/** A day on which every simulated list has an edition. */
export const NOW = Date.parse('2026-11-20T15:00:00Z');

/** Headers of a browser, which OFAC's host requires. */
export const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
};

/** What a client of the service sees of a document: the text in UTF-8, as its body is decoded. */
export const answerOf = ({ status, text }: Document): HttpAnswer => ({ status, text: Buffer.from(text, 'latin1').toString('utf8') });

/** An HTTP client whose answers are documents, with the refusals of the real one. */
export const clientOver = (documentAt: (url: URL) => Document): HttpClient => ({
  async get(url, { read, explain }) {
    const answer = answerOf(documentAt(url));
    const isRefusal = answer.status >= 500 || answer.status === 408 || answer.status === 429;
    try {
      if (isRefusal || (answer.status >= 300 && answer.status < 400)) throw explain?.(answer) ?? new HttpFailure('refused', 'refused');
      return read(answer);
    } catch (error) {
      throw sourceUnavailable('receita_federal', error as Error);
    }
  },
  health: () => ({ circuit: 'closed', lastSuccessAt: null, lastErrorAt: null, lastError: null, recentCalls: null }),
  close: async () => undefined,
});

/** A live source over documents. */
export function sourceOver<T extends SourceInstance>(source: Source<T>, documentAt: (url: URL) => Document): T {
  const never = (): never => {
    throw new Error('the call needs neither a database nor a site');
  };
  return source.create({
    address: (setting) => ({ url: `http://${setting.toLowerCase().replaceAll('_', '-')}.test`, origin: 'given' }),
    setting: (name) => source.settings?.[name]?.fallback ?? '',
    http: () => clientOver(documentAt),
    get outbound() {
      return never();
    },
    get dns() {
      return never();
    },
    db: Object.assign(never, { raw: never }) as never,
    now: () => NOW,
    random: () => 0,
    log: memoryLog().log,
    tempDir: '',
  });
}

export const jsonDocument = (value: unknown, status = 200): Document => ({
  format: 'json',
  status,
  text: Buffer.from(JSON.stringify(value)).toString('latin1'),
});

/** The reply of a simulated upstream as a document: a published file without its zip, with its first `rows` rows. */
export async function simulated(
  simulator: Simulator,
  path: string,
  {
    method = 'GET',
    query = {},
    headers = {},
    rows = 80,
  }: {
    readonly method?: string;
    readonly query?: Record<string, string>;
    readonly headers?: Record<string, string>;
    readonly rows?: number;
  } = {},
): Promise<Document> {
  const request: SimulatedRequest = {
    method,
    path,
    query: new URLSearchParams(query),
    headers,
    now: NOW,
    world: new MutableWorld(),
  };
  const { status, body } = await simulator.handle(request);
  if (typeof body === 'string' || Buffer.isBuffer(body)) throw new Error(`${simulator.name} has no document at ${path}`);
  const text = encode(body.frame(body.rows.slice(0, rows)), body.charset).toString('latin1');
  return { format: body.format === 'html' ? 'xml' : body.format, status, text };
}
