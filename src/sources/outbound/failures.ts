import { OutboundFailure } from './outbound.ts';

/** What callers are told of every failure alike, so that it tells nothing about our network. */
const PUBLIC_MESSAGE = 'The address could not be fetched.';

/** @param why for the log only, kept as `cause` */
export const failure = (kind: string, why: unknown): OutboundFailure =>
  new OutboundFailure(kind, PUBLIC_MESSAGE, { cause: typeof why === 'string' ? new Error(why) : why });

/** The one failure that is about the caller's text and says what is wrong with it. */
export const badUrl = (sentence: string): OutboundFailure => new OutboundFailure('bad_url', sentence);
