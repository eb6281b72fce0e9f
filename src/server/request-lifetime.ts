import type { EventEmitter } from 'node:events';
import { AppError } from '../domain/errors.ts';

/** How long somebody's work may go on. */
export interface Stay {
  /** Aborted when the peer has gone or the time is over. */
  readonly signal: AbortSignal;
  /** The work is done: nothing aborts the signal any more. */
  end(): void;
}

const gone = () => new AppError('SERVICE_UNAVAILABLE', 'Nobody waits for this answer any more.');
const late = () => new AppError('DEADLINE_EXCEEDED', 'This field was not answered in time; ask again, or for less at once.');

/** A socket, or a response, which says `close` when it was answered in full, too. */
type Peer = EventEmitter & { readonly writableFinished?: boolean };

/**
 * Work for a peer, which is gone when it says `close`.
 * @param withinMs how long it may take; as long as the peer stays where left out
 */
export function workFor(peer: Peer, withinMs?: number): Stay {
  const abort = new AbortController();
  const leave = () => (peer.writableFinished ? end() : stop(gone()));
  const timer = withinMs === undefined ? undefined : setTimeout(() => stop(late()), withinMs).unref();
  peer.once('close', leave);

  function end(): void {
    clearTimeout(timer);
    peer.off('close', leave);
  }
  function stop(why: AppError): void {
    end();
    abort.abort(why);
  }
  return { signal: abort.signal, end };
}
