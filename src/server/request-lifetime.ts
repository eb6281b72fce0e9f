import type { EventEmitter } from 'node:events';
import { AppError } from '../domain/errors.ts';

/** Cancels the work for a request when its client disconnects or its deadline passes. */
export interface RequestLifetime {
  /** Aborted with an AppError as reason: SERVICE_UNAVAILABLE after a disconnect, DEADLINE_EXCEEDED after the deadline. */
  readonly signal: AbortSignal;
  /** Marks the work as done: the signal is not aborted any more. */
  end(): void;
}

const disconnected = () => new AppError('SERVICE_UNAVAILABLE', 'Nobody waits for this answer any more.');
const deadlineExceeded = () => new AppError('DEADLINE_EXCEEDED', 'This field was not answered in time; ask again, or for less at once.');

/** A WebSocket or an HTTP response. A response emits `close` also after it was sent completely; `writableFinished` is true then. */
type Connection = EventEmitter & { readonly writableFinished?: boolean };

/** Starts the lifetime of a request. @param deadlineMs unlimited if absent */
export function startLifetime(connection: Connection, deadlineMs?: number): RequestLifetime {
  const controller = new AbortController();
  const onClose = () => (connection.writableFinished ? end() : abort(disconnected()));
  const timer = deadlineMs === undefined ? undefined : setTimeout(() => abort(deadlineExceeded()), deadlineMs).unref();
  connection.once('close', onClose);

  function end(): void {
    clearTimeout(timer);
    connection.off('close', onClose);
  }
  function abort(reason: AppError): void {
    end();
    controller.abort(reason);
  }
  return { signal: controller.signal, end };
}
