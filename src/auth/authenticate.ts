import type { Caller } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import type { BadKeys } from './bad-keys.ts';
import type { Keys } from './keys.ts';
import type { LastUse } from './last-use.ts';

/**
 * Whom a key opens to; null for one that does not. `address` is where it came from.
 * @throws AppError RATE_LIMITED for one that does not, from an address that sent too many such; Error when the database fails
 */
export type FindCaller = (key: string, address: string) => Promise<Caller | null>;

export interface DoorParts {
  readonly keys: Pick<Keys, 'find' | 'stillOpen'>;
  readonly lastUse: Pick<LastUse, 'note'>;
  readonly badKeys: BadKeys;
}

/** Where callers come in, and where those that stay connected are looked at again: that is use, too. */
export interface Door {
  readonly find: FindCaller;
  readonly stillOpen: Keys['stillOpen'];
}

/** Keys that open are noted and never held up, whatever else comes from their address. */
export const createDoor = ({ keys, lastUse, badKeys }: DoorParts): Door => ({
  async find(key, address) {
    const caller = await keys.find(key);
    if (caller) {
      lastUse.note(caller.keyId);
      return caller;
    }
    const retryAfterSeconds = await badKeys.count(address);
    if (retryAfterSeconds > 0)
      throw new AppError('RATE_LIMITED', 'Too many keys that are not valid came from your address; check your key, and wait.', {
        retryAfterSeconds,
      });
    return null;
  },

  async stillOpen(ids) {
    const callers = await keys.stillOpen(ids);
    for (const id of callers.keys()) lastUse.note(id);
    return callers;
  },
});
