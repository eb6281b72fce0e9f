import { TIME_BUDGETS } from '../domain/catalogue.ts';
import { sourceUnavailable } from '../domain/errors.ts';
import { type Dns, DnsFailure } from './dns/dns.ts';
import { defineSource, type SourceInstance } from './source.ts';

/** The queries that callers may send. */
export type DnsQuestions = Omit<Dns, 'health'>;

/** The queries of `Dns`, whose failures are those of a source: @throws AppError SOURCE_UNAVAILABLE */
export interface DnsSource extends SourceInstance, DnsQuestions {
  /** Runs several queries that make one answer, also one after another, within one time budget. @throws AppError SOURCE_UNAVAILABLE */
  together<T>(questions: (dns: DnsQuestions) => Promise<T>): Promise<T>;
}

/** The domain name system, by the configured name servers. A missing or refused response is a failure of the source, never absence. */
export const dns = defineSource({
  name: 'dns',
  attribution: 'The public domain name system.',
  addresses: {},
  create({ dns }): DnsSource {
    async function together<T>(questions: (dns: DnsQuestions) => Promise<T>): Promise<T> {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new DnsFailure('timeout', 'the questions took too long together')), TIME_BUDGETS.dns);
      });
      try {
        return await Promise.race([questions(dns), late]);
      } catch (error) {
        throw error instanceof DnsFailure ? sourceUnavailable('dns', error) : error;
      } finally {
        clearTimeout(timer);
      }
    }

    return {
      together,
      mx: (name) => together(() => dns.mx(name)),
      txt: (name) => together(() => dns.txt(name)),
      ns: (name) => together(() => dns.ns(name)),
      addresses: (name) => together(() => dns.addresses(name)),
      async status() {
        const health = dns.health();
        return { name: 'dns', kind: 'live', ...health, list: null, usable: health.circuit !== 'open' };
      },
    };
  },
});
