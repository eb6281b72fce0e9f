import type { Sealer } from '../../../db/sealer.ts';
import { fromPublicId, toPublicId } from '../../../domain/public-ids.ts';
import { LINK_PURPOSES, type LinkPurpose } from '../domain/mail-subscription.ts';

/** A link in a mail: the subscription that it is about, by its UUID, and what it is for. */
export interface MailLink {
  readonly purpose: LinkPurpose;
  readonly id: string;
}

/** Path of the pages that the links open, without their token. */
export const MAIL_PATH = '/mail';

/** Maximum length of a token, so that a longer one is refused before it is decoded. */
const MAX_TOKEN = 120;

/**
 * Creates and reads the tokens of links. A token is sealed, so that only a mail contains it, and nothing is stored for it. It is valid as long
 * as its subscription exists.
 */
export interface MailLinks {
  tokenOf(link: MailLink): string;
  /** Returns null for any other text. */
  read(token: string): MailLink | null;
}

export const createMailLinks = (sealer: Sealer): MailLinks => ({
  // The first letter of the purpose, so that the token fits in the longest parameter that the router accepts.
  tokenOf: ({ purpose, id }) => sealer.seal(`${purpose[0]}${toPublicId('mailSubscription', id)}`).toString('base64url'),
  read(token) {
    if (token.length > MAX_TOKEN) return null;
    const text = opened(sealer, Buffer.from(token, 'base64url'));
    const purpose = LINK_PURPOSES.find((one) => one[0] === text?.[0]);
    const id = text === null ? null : fromPublicId('mailSubscription', text.slice(1));
    return purpose && id ? { purpose, id } : null;
  },
});

function opened(sealer: Sealer, sealed: Buffer): string | null {
  try {
    return sealer.open(sealed);
  } catch {
    return null;
  }
}
