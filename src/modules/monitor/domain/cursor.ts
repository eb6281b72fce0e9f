import { AppError, invalidInput } from '../../../domain/errors.ts';

/** Where a log stands: its last position, and the first that is still kept. */
export interface LogHead {
  readonly position: number;
  readonly keptFrom: number;
}

/**
 * Makes sure that nothing is missing behind a position.
 * @param cursorOf what callers may go on with instead
 * @throws AppError CURSOR_TOO_OLD; INVALID_INPUT on `after` for a position never given out
 */
export function requireKept(after: number, { position, keptFrom }: LogHead, cursorOf: (position: number) => string): void {
  if (after > position) throw invalidInput('after', 'This cursor lies ahead of everything that happened; it is of another installation.');
  if (after >= keptFrom - 1) return;
  throw new AppError(
    'CURSOR_TOO_OLD',
    'What came right after this cursor is no longer kept. Read the state anew, then go on from the cursor given here.',
    { cursor: cursorOf(keptFrom - 1) },
  );
}
