import { type Config, resolveAddress, resolveSetting } from '../config.ts';
import { SECOND_MS } from '../domain/time.ts';
import { modules } from '../modules/index.ts';
import { askOnce, type SmallAnswer, type SmallRequest } from '../sources/http/ask-once.ts';
import { failureCode } from './client.ts';
import { type Finding, off, ok, problem, warning } from './finding.ts';
import { type LiveQuestion, questionOf } from './live-questions.ts';

/** The clock of another machine minus that of this one, in ms. */
export interface OtherClock {
  readonly name: string;
  readonly aheadMs: number;
}

/** Findings about the addresses of the sources, and the clocks of the publishers. */
export interface LiveFindings {
  readonly findings: readonly Finding[];
  readonly clocks: readonly OtherClock[];
}

/** The addresses of all sources, by source and setting. */
export const sourceAddresses = () =>
  [...new Set(modules.flatMap(({ sources }) => sources))].flatMap((source) =>
    Object.entries(source.addresses).map(([setting, spec]) => ({
      name: source.name,
      setting,
      spec,
      question: questionOf(source, setting),
    })),
  );

/** Time for one answer, ms. */
const ANSWER_MS = 15 * SECOND_MS;
/** A slower answer is a warning: a check has 9 s for all calls of a source. */
const SLOW_MS = 4 * SECOND_MS;

export interface LiveQuestioning {
  readonly now: () => number;
  /** Time for one answer, ms. */
  readonly timeoutMs?: number;
}

/**
 * Sends one small request to every address of the sources, and measures whether it answers in its format. Requests to one host follow one
 * another, because some hosts refuse several at once. The calls are direct, like those of the sources.
 * @param sandboxUrl address of the simulators; null in live mode
 */
export async function liveFindings(config: Config, sandboxUrl: string | null, questioning: LiveQuestioning): Promise<LiveFindings> {
  const addresses = sourceAddresses().map((address) => ({
    ...address,
    ...resolveAddress(config, address.setting, sandboxUrl),
  }));
  const clocks: OtherClock[] = [];
  const byHost = Map.groupBy(addresses, ({ url }) => URL.parse(url.replace('{date}', ''))?.host ?? '');
  const found = new Map<string, Finding>();
  await Promise.all(
    [...byHost.values()].map(async (same) => {
      for (const { name, setting, spec, question, url, origin } of same) {
        const check = `answer of ${name} (${setting})`;
        if (url === '') {
          found.set(setting, off(check, spec.live === '' ? 'no address is set, and none is needed' : 'its address is switched off'));
          continue;
        }
        const { finding, clockAheadMs } = await askAddress({ check, setting, url, question }, config, questioning);
        found.set(setting, finding);
        if (clockAheadMs !== null && origin === 'live') clocks.push({ name, aheadMs: clockAheadMs });
      }
    }),
  );
  return { findings: addresses.flatMap(({ setting }) => found.get(setting) ?? []), clocks };
}

interface CheckedAddress {
  readonly check: string;
  readonly setting: string;
  readonly url: string;
  readonly question: LiveQuestion | undefined;
}

async function askAddress(
  { check, setting, url, question }: CheckedAddress,
  config: Config,
  { now, timeoutMs = ANSWER_MS }: LiveQuestioning,
) {
  if (!question) throw new Error(`no question for ${setting}`);
  let requests: readonly SmallRequest[];
  try {
    requests = question.requests(url.replace(/\/$/, ''), { now: now(), setting: (name) => resolveSetting(config, name) });
  } catch (error) {
    return { finding: problem(check, `its address cannot be used: ${(error as Error).message}`, `correct ${setting}`), clockAheadMs: null };
  }
  if (requests.length === 0)
    return { finding: off(check, 'not requested, because its credential is not set or its terms are not accepted'), clockAheadMs: null };
  try {
    const answer = await firstAnswer(requests, timeoutMs);
    return { finding: judged({ check, setting }, question, answer), clockAheadMs: answer.clockAheadMs };
  } catch (error) {
    const code = failureCode(error);
    return {
      finding: problem(check, `does not answer (${code})`, `${ADVICE[code] ?? NETWORK}, or set ${setting} to a mirror`),
      clockAheadMs: null,
    };
  }
}

/** Statuses for a file that does not exist on this day. */
const ABSENT = [403, 404];

async function firstAnswer(requests: readonly SmallRequest[], timeoutMs: number): Promise<SmallAnswer> {
  let answer: SmallAnswer | null = null;
  for (const request of requests) {
    answer = await askOnce(request, timeoutMs);
    if (!ABSENT.includes(answer.status)) break;
  }
  if (!answer) throw new Error('no request');
  return answer;
}

function judged({ check, setting }: Pick<CheckedAddress, 'check' | 'setting'>, question: LiveQuestion, answer: SmallAnswer): Finding {
  const { status, ms } = answer;
  const measured = `answers ${status} in ${ms} ms`;
  if (isRecognised(question, answer))
    return ms > SLOW_MS
      ? warning(check, `${measured}, format recognised`, 'it is slow: checks that call it may fail; try at another hour, or use a mirror')
      : ok(check, `${measured}, format recognised`);
  const advice =
    status === 429
      ? 'it limits the rate of this machine: try again later, and set its token or ticket if it has one'
      : status === 401 || status === 403
        ? `it refuses this machine or its credential: check the token or ticket, and whether requests leave from another country; or set ${setting}`
        : status >= 500
          ? `the publisher fails: try again later, or set ${setting}`
          : status >= 400
            ? `the address is wrong or has moved: check ${setting}, and docs/going-live.md`
            : `a page of a proxy or a portal, or a new format: open the address in a browser, check ${setting}, and report a new format`;
  return problem(check, `${measured}, format not recognised`, advice);
}

function isRecognised({ recognises }: LiveQuestion, answer: SmallAnswer): boolean {
  try {
    return recognises(answer) === true;
  } catch {
    return false;
  }
}

const NETWORK = 'check the network, the firewall and the certificates of this machine';
const DNS = 'its name does not resolve: check the name servers of this machine';
const ADVICE: Readonly<Record<string, string>> = {
  ENOTFOUND: DNS,
  EAI_AGAIN: DNS,
  timeout: 'nothing came in time: open the firewall for it, or try at another hour',
  redirected: 'it leads to another host, as the sign-in page of a proxy does',
};
