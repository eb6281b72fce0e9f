import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Reader } from '../context.ts';
import { LANGUAGES, type Language } from '../messages/message.ts';

/**
 * Returns the language of the texts that a request prefers by its `Accept-Language`, with quality values and regions (`es-MX`); English
 * without a preference, and for other languages.
 */
export function languageOf({ 'accept-language': accepted }: IncomingHttpHeaders): Language {
  if (accepted === undefined || accepted === '*') return 'en'; // most programs
  const best = new Negotiator({ headers: { 'accept-language': accepted } }).language([...LANGUAGES]);
  return LANGUAGES.find((one) => one === best) ?? 'en';
}

/** Returns the id and the language of a request, for a problem document. */
export const readerOf = ({ id, headers }: Pick<FastifyRequest, 'id' | 'headers'>): Reader => ({
  requestId: id,
  language: languageOf(headers),
});

/** States the language of an answer whose texts are not English. English answers have no such header. */
export function writeLanguage(reply: FastifyReply, language: Language): void {
  if (language === 'en' || reply.hasHeader('content-language')) return;
  const vary = reply.getHeader('vary');
  void reply.headers({ 'content-language': language, vary: vary === undefined ? 'Accept-Language' : `${String(vary)}, Accept-Language` });
}
