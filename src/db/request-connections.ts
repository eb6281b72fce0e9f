import { AsyncLocalStorage } from 'node:async_hooks';
import type { Knex } from 'knex';
import type pg from 'pg';
import type { AppError } from '../domain/errors.ts';
import { destroySocket } from './knex.ts';

const requests = new AsyncLocalStorage<true>();

/** Runs work for a request that does not wait for a database that does not respond. */
export const asRequest = <T>(work: () => T): T => requests.run(true, work);

/** Returns true within `asRequest`. */
export const isRequest = (): boolean => requests.getStore() === true;

/**
 * Follows the connections that requests have acquired or wait for. While they are refused, no request waits for the database, so requests
 * that are answered from memory find free execution slots.
 */
export class RequestConnections {
  readonly #inUse = new Set<pg.Client>();
  readonly #waiting = new Set<(error: AppError) => void>();
  #refusal: AppError | null = null;

  /** Follows the connections of a pool. @param concerns returns true if the current work is that of a request */
  follow({ client }: Knex, concerns: () => boolean): void {
    const acquire: () => Promise<pg.Client> = client.acquireConnection.bind(client);
    const release: (connection: pg.Client) => Promise<void> = client.releaseConnection.bind(client);
    client.acquireConnection = () => (concerns() ? this.#acquire(acquire, release) : acquire());
    client.releaseConnection = (connection: pg.Client) => {
      this.#inUse.delete(connection);
      return release(connection);
    };
  }

  /** Refuses further connections, and closes those in use, because their statements may never end. Open transactions are rolled back. */
  refuse(error: AppError): void {
    this.#refusal = error;
    for (const reject of this.#waiting) reject(error);
    for (const connection of this.#inUse) destroySocket(connection);
  }

  allow(): void {
    this.#refusal = null;
  }

  async #acquire(acquire: () => Promise<pg.Client>, release: (connection: pg.Client) => Promise<void>): Promise<pg.Client> {
    if (this.#refusal) throw this.#refusal;
    const refused = Promise.withResolvers<never>();
    this.#waiting.add(refused.reject);
    const acquired = acquire();
    try {
      const connection = await Promise.race([acquired, refused.promise]);
      if (this.#refusal) throw this.#refusal;
      this.#inUse.add(connection);
      return connection;
    } catch (error) {
      void acquired.then(release, () => undefined); // a connection that arrives too late goes back to the pool
      throw error;
    } finally {
      this.#waiting.delete(refused.reject);
    }
  }
}
