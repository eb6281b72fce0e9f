import robotsParserModule from 'robots-parser';
import type { OutboundAnswer } from '../outbound/outbound.ts';

/** Its types tell of a `default` that the package, CommonJS that it is, does not have. */
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default;

/** The name by which a robots.txt may address us; the first word of our user agent that is ours. */
const OUR_NAME = 'Quipu';

/** What a site asks of robots. `closed`: its rules cannot be had for now, and nothing may be read until they can (RFC 9309). */
export interface RobotsRules {
  readonly closed: boolean;
  allows(url: URL): boolean;
}

const OPEN: RobotsRules = { closed: false, allows: () => true };
const CLOSED: RobotsRules = { closed: true, allows: () => false };

/** What a site answered for `asked`, its robots.txt → its rules. A site without the file (any 4xx) has none; one in trouble (5xx) is closed. */
export function readRobots(asked: URL, { status, body }: Pick<OutboundAnswer, 'status' | 'body'>): RobotsRules {
  if (status >= 500) return CLOSED;
  if (status < 200 || status > 299) return OPEN;
  const rules = robotsParser(asked.href, body.toString('utf8'));
  return { closed: false, allows: (url) => rules.isAllowed(url.href, OUR_NAME) !== false };
}

/** A robots.txt behind more redirects than we follow counts as missing. */
export const noRobots = OPEN;
