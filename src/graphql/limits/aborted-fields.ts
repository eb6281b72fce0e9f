/*
 * Ends the fields of a request that still wait when its signal aborts, by the deadline or because the client has disconnected. Each waiting
 * field registers here, and one listener of the signal rejects all of them: a listener per field would cost more, and would keep settled
 * fields in memory until the signal is collected.
 */

/** Pending fields by the signal that aborts them. */
const waitingFields = new WeakMap<AbortSignal, Set<(reason: unknown) => void>>();

/** Settles like `value`, or rejects with the reason of the signal if that is aborted first. It keeps no reference to a settled field. */
export function untilAborted(value: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const waiting = waitingFieldsOf(signal);
  return new Promise((resolve, reject) => {
    waiting.add(reject);
    value.then(
      (answer) => {
        waiting.delete(reject);
        resolve(answer);
      },
      (error) => {
        waiting.delete(reject);
        reject(error);
      },
    );
  });
}

function waitingFieldsOf(signal: AbortSignal): Set<(reason: unknown) => void> {
  const known = waitingFields.get(signal);
  if (known) return known;
  const waiting = new Set<(reason: unknown) => void>();
  waitingFields.set(signal, waiting);
  const rejectAll = () => {
    for (const reject of waiting) reject(signal.reason);
  };
  signal.addEventListener('abort', rejectAll, { once: true });
  return waiting;
}
