import { AppError, invalidInput } from '../../../domain/errors.ts';

/** The range of positions that a stream has: its last position, and the first that is still kept. */
export interface StreamHead {
  readonly position: number;
  readonly keptFrom: number;
}

/**
 * Checks that every event after a position is still kept.
 * @param cursorOf makes the cursor that the error offers instead
 * @throws AppError CURSOR_TOO_OLD; INVALID_INPUT on `after` for a position that does not exist yet
 */
export function requireKept(after: number, { position, keptFrom }: StreamHead, cursorOf: (position: number) => string): void {
  if (after > position) throw invalidInput('after', 'This cursor is ahead of the change log: it comes from another installation.');
  if (after >= keptFrom - 1) return;
  throw new AppError(
    'CURSOR_TOO_OLD',
    'Changes after this cursor have been deleted. Read the current state of the companies, then continue from the cursor in this error.',
    { cursor: cursorOf(keptFrom - 1) },
  );
}
