import type { ServerResponse } from 'node:http';
import type { FormattedExecutionResult } from 'graphql';
import { SECOND_MS } from '../../domain/time.ts';

/** How long a peer may take to read the rest of a stream that ends. */
const GOODBYE_MS = 2 * SECOND_MS;

/** One event stream. */
export class Outlet {
  /** Settles when the connection is gone, or the answer through. */
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;
  #busy = false;

  constructor(response: ServerResponse, requestId: string) {
    this.#response = response;
    this.closed = new Promise((resolve) => response.once('close', () => resolve()));
    response.on('error', () => response.destroy());
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': requestId,
    });
    response.flushHeaders();
  }

  /** True when nothing can be sent any more. */
  get isOver(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** Settles when the result has left. @throws Error when the stream is over */
  async next(result: FormattedExecutionResult): Promise<void> {
    if (this.isOver) throw new Error('the event stream is over');
    this.#busy = true;
    await new Promise<void>((resolve, reject) => this.#response.write(nextText(result), (error) => (error ? reject(error) : resolve())));
    this.#busy = false;
  }

  /** The last result, if there is one more, and the end of the operation. */
  last(result?: FormattedExecutionResult): void {
    this.end(`${result ? nextText(result) : ''}event: complete\ndata:\n\n`);
  }

  /** Something that keeps proxies from closing a connection; left out while the peer does not read. */
  comment(text: string): void {
    if (!this.#busy && !this.isOver) this.#response.write(`:${text}\n\n`);
  }

  end(text: string): void {
    if (this.isOver) return;
    this.#response.end(text);
    const timer = setTimeout(() => this.#response.destroy(), GOODBYE_MS);
    void this.closed.then(() => clearTimeout(timer));
  }
}

const nextText = (result: FormattedExecutionResult): string => `event: next\ndata: ${JSON.stringify(result)}\n\n`;
