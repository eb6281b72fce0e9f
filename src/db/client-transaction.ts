import type pg from 'pg';

/** Runs `work` in a transaction of a client that the caller owns; a failure rolls it back. */
export async function inClientTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined); // a lost connection has rolled back already
    throw error;
  }
}
