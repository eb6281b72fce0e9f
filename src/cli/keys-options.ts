import { domainToASCII, domainToUnicode } from 'node:url';
import type { KeyTerms } from '../auth/api-keys/record.ts';
import { readModules } from '../auth/api-keys/record.ts';
import { parseEmailAddress } from '../domain/email-address.ts';
import { invalidInput } from '../domain/errors.ts';
import { DAY_MS, DURATION, durationMs, isIsoDate } from '../domain/time.ts';

/** Options of `quipu keys` as they are typed. */
export interface TermOptions {
  readonly name?: string;
  readonly modules?: string;
  readonly expires?: string;
  readonly note?: string;
  readonly plan?: string;
  readonly documents?: string;
}

/** @throws AppError INVALID_INPUT naming the option */
export const readTerms = ({ modules, expires, name, note, plan, documents }: TermOptions): KeyTerms => ({
  ...(name !== undefined && { name }),
  ...(modules !== undefined && { modules: readModules(modules) }),
  ...(expires !== undefined && { expiresAt: readExpiry(expires) }),
  ...(note !== undefined && { note }),
  ...(plan !== undefined && { plan }),
  ...(documents !== undefined && { trustedOnly: readDocuments(documents) }),
});

/** `trusted` or `any` → whether trusted documents are all that is run. */
function readDocuments(text: string): boolean {
  if (text !== 'trusted' && text !== 'any') throw invalidInput('documents', `"${text}" is no choice of documents; write trusted or any.`);
  return text === 'trusted';
}

/** The last day → the moment after it, epoch ms; `never` → null. */
function readExpiry(text: string): number | null {
  if (text === 'never') return null;
  if (!isIsoDate(text)) throw invalidInput('expires', `"${text}" is no day; write YYYY-MM-DD, such as 2027-01-31.`);
  const end = Date.parse(`${text}T00:00:00Z`) + DAY_MS;
  if (end <= Date.now()) throw invalidInput('expires', `${text} is over already.`);
  return end;
}

const LONGEST_OVERLAP_MS = 90 * DAY_MS;

/** `24h`, or `0` → milliseconds. @throws AppError INVALID_INPUT */
export function readOverlap(text: string): number {
  const overlap = text === '0' ? 0 : DURATION.test(text) ? durationMs(text) : Number.NaN;
  if (!(overlap <= LONGEST_OVERLAP_MS))
    throw invalidInput('overlap', `"${text}" is no overlap; write 0, or a time up to 90d, such as 24h.`);
  return overlap;
}

/** @throws AppError INVALID_INPUT for what is no address */
export function readAddress(text: string): string {
  if (!parseEmailAddress(text, { toAscii: domainToASCII, toUnicode: domainToUnicode }))
    throw invalidInput('email', `"${text}" is no e-mail address.`);
  return text;
}
