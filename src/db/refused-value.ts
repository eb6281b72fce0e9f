import pg from 'pg';

/** States in which a statement fails however often it is tried: of a value that is refused, of a constraint, of a limit. */
const REFUSED_STATES = /^(?:22|23|54)/;

/** True when Postgres refused a value of a statement, so that it would fail again. */
export const isRefusedValue = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && REFUSED_STATES.test(error.code ?? '');
