import { invalidInput } from '../../../domain/errors.ts';
import { parseTimeCursor, type TimeCursor } from '../../../domain/paging.ts';
import { fromPublicId } from '../../../domain/public-ids.ts';
import { fieldMessages } from '../../../messages/fields.ts';

/** The position of an item in a list that is sorted by time; `createdAt` is epoch ms. */
interface Positioned {
  readonly createdAt: number;
  readonly id: string;
}

/**
 * Reads the position from which a page begins: a cursor, or the public id of the last item of a page, which clients sent before there was
 * `next_after`.
 * @param find returns an item of the key by its UUID
 * @throws AppError INVALID_INPUT on `after`
 */
export async function readPosition(
  kind: 'monitor' | 'delivery',
  after: string | undefined,
  find: (id: string) => Promise<Positioned | null>,
): Promise<TimeCursor | null> {
  if (after === undefined) return null;
  const id = fromPublicId(kind, after);
  if (id === null) return parseTimeCursor(kind, after);
  const last = await find(id);
  if (!last) throw invalidInput('after', fieldMessages.nextAfter());
  return { at: new Date(last.createdAt).toISOString(), id: last.id };
}
