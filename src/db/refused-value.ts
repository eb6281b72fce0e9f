import pg from 'pg';

/** SQLSTATE classes of statements that fail at each try: a refused value, a violated constraint, an exceeded limit. */
const REFUSED_STATES = /^(?:22|23|54)/;

/** True when Postgres refused a value of a statement, so that it would fail again. */
export const isRefusedValue = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && REFUSED_STATES.test(error.code ?? '');
