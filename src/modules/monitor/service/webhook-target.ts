import { invalidInput } from '../../../domain/errors.ts';
import type { ServiceDeps } from '../../../service.ts';
import { OutboundFailure } from '../../../sources/outbound/outbound.ts';

const FIELD = 'webhook_url';
const NOT_SAFE = 'The address must begin with https://.';

/**
 * Refuses what can be seen at once to be no place for webhooks. A name that has no address yet is taken: it is checked again at every
 * connection. Of a refused address nothing is told but that it is refused.
 * @throws AppError INVALID_INPUT
 */
export async function checkTarget(webhooks: ServiceDeps['webhooks'], url: URL, publicHttp: boolean): Promise<void> {
  try {
    await webhooks.admit(url, { publicHttp });
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    if (error.kind === 'bad_url') throw invalidInput(FIELD, error.message);
    if (error.kind === 'blocked_destination') throw invalidInput(FIELD, 'Webhooks cannot be sent to this address.');
    if (url.protocol === 'http:' && !publicHttp) throw invalidInput(FIELD, NOT_SAFE);
  }
}
