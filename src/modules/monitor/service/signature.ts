import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks: how a receiver knows that a request is ours. */

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** E.g. `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw…`: 32 random bytes in Base64. */
export const newSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

/** What a signature covers. */
export interface Signed {
  /** `webhook-id`. */
  readonly id: string;
  /** `webhook-timestamp`, epoch seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** `webhook-signature`: `v1,<base64>` for each secret, separated by spaces. */
export const sign = (secrets: readonly string[], { id, timestamp, body }: Signed): string =>
  secrets.map((secret) => `v1,${hmac(secret, `${id}.${timestamp}.${body}`)}`).join(' ');

const hmac = (secret: string, text: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(text)
    .digest('base64');
