import { AppError, invalidInput } from '../../../domain/errors.ts';
import { cursorNumber, parseCursor, toCursor } from '../../../domain/paging.ts';
import { monitorMessages } from '../../../messages/monitors.ts';

/**
 * A part of the change log. A restore of the database to an earlier moment begins a new epoch: the log assigns the positions after `after`
 * again, to other changes, although callers may know them.
 */
export interface Epoch {
  readonly id: string;
  /** Last position of the log when the epoch began. */
  readonly after: number;
}

/** A position, and the epoch in which the log assigned it; null for the first epoch, which has no id. */
export interface LogPosition {
  readonly position: number;
  readonly epoch: string | null;
}

/** The range of positions of a stream: its last position, and the first one that is still kept. */
export interface StreamHead {
  readonly position: number;
  readonly keptFrom: number;
  /** All epochs except the first one, oldest first. */
  readonly epochs: readonly Epoch[];
}

/** Adds the epoch in which the log assigned a position. */
export const atPosition = (position: number, { epochs }: Pick<StreamHead, 'epochs'>): LogPosition => ({
  position,
  epoch: epochs.findLast(({ after }) => after < position)?.id ?? null,
});

/**
 * Checks that every event after a position is still in the log, and that the log has not been restored to a moment before that position.
 * @param cursorOf makes the cursor that the error offers instead
 * @throws AppError CURSOR_TOO_OLD; INVALID_INPUT on `after` for a position that does not exist yet
 */
export function requireKept(after: LogPosition, head: StreamHead, cursorOf: (at: LogPosition) => string): void {
  const oldest = head.keptFrom - 1;
  if (after.epoch !== atPosition(after.position, head).epoch) {
    const restored = Math.max(head.epochs.at(-1)?.after ?? 0, oldest);
    throw new AppError('CURSOR_TOO_OLD', monitorMessages.logRestored(), { cursor: cursorOf(atPosition(restored, head)) });
  }
  if (after.position > head.position) throw invalidInput('after', monitorMessages.cursorAhead());
  if (after.position >= oldest) return;
  throw new AppError('CURSOR_TOO_OLD', monitorMessages.cursorDeleted(), { cursor: cursorOf(atPosition(oldest, head)) });
}

/** Writes a position of the log as the cursor that callers get. A cursor of the first epoch has the position only. */
export const toChangeCursor = ({ position, epoch }: LogPosition): string =>
  toCursor('change', epoch === null ? [String(position)] : [String(position), epoch]);

/** Returns the cursor after all changes of the log. */
export const endCursorOf = (head: StreamHead): string => toChangeCursor(atPosition(head.position, head));

/** Cursor → position in the change log. @throws AppError INVALID_INPUT */
export function parseChangeCursor(cursor: string): LogPosition {
  const [number, epoch = null] = parseCursor('change', 2, cursor, 1);
  return { position: cursorNumber(number), epoch };
}
