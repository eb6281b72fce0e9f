import type { Before } from './limits.ts';

/** Maximum size of a body that is read at once, because it is in the buffers of the socket already. */
const SHORT_BODY_BYTES = 64 * 1024;
/** Pause in ms after each part of a body, of at most 64 KiB. A body of 4 MB is read in some 6 s, within the time limit of a request. */
const PAUSE_MS = 100;

/**
 * Reads slowly the body that a client still sends after its request was refused, such as the file of a request over its rate limit. Node
 * would read it at full speed, which takes the event loop and memory bandwidth from other requests. Closing the connection would lose the
 * response for a client that writes before it reads.
 */
export function slowRefusedBodies({ pauseMs = PAUSE_MS } = {}): Before {
  return (request, response, next) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding !== undefined || Number(length ?? 0) > SHORT_BODY_BYTES) {
      // The listener precedes that of Node, which discards the body of a request that nobody has begun to read.
      response.prependListener('finish', () => {
        if (request.complete || request.destroyed) return;
        request.on('data', () => {
          request.pause();
          setTimeout(() => request.resume(), pauseMs).unref();
        });
        request.read(0);
      });
    }
    next();
  };
}
