import { isoWithOffset } from '../domain/time.ts';
import type { IssuedKey } from './keys.ts';
import type { Mail } from './mail.ts';

/**
 * The mail that brings a key, or the new secret of one whose old secret opens until `oldOpenUntil` (epoch ms). Its lines are short:
 * a mail may have none longer than 76 characters as it is.
 */
export function keyMail({ key, name, modules, expiresAt }: IssuedKey, to: string, oldOpenUntil?: number): Mail {
  const opening =
    oldOpenUntil === undefined
      ? 'this is your API key. It is written here and nowhere else: keep it\nwhere you keep passwords.'
      : `this is your new API key. Put it in the place of the one before it,\nwhich opens until ${isoWithOffset(oldOpenUntil)}.`;
  return {
    to,
    subject: oldOpenUntil === undefined ? 'Your Quipu API key' : 'Your new Quipu API key',
    text: `Hello,

${opening}

${key}

Name: ${name}
Modules: ${modules.join(', ')}
Expires: ${expiresAt === null ? 'never' : isoWithOffset(expiresAt)}

How to use it: send it with every request, in the header X-API-Key, over
REST (/v1) and GraphQL (/graphql) alike. Never write it into a URL, into
the code of a web page or an app, or into a repository.

How to replace it: ask us for another. For a while both open, so that you
can change it without a pause. If somebody else may have seen it, tell us
at once: we close it within seconds.
`,
  };
}
