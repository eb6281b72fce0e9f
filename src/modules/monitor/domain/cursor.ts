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
  if (after > position) throw invalidInput('after', 'This cursor lies ahead of everything that happened; it is of another installation.');
  if (after >= keptFrom - 1) return;
  throw new AppError(
    'CURSOR_TOO_OLD',
    'What came right after this cursor is no longer kept. Read the state anew, then go on from the cursor given here.',
    { cursor: cursorOf(keptFrom - 1) },
  );
}
