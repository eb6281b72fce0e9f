import type { Before } from './limits.ts';

/** A shorter body is read at once: it lies in the buffers of the socket already. */
const SHORT_BODY_BYTES = 64 * 1024;
/** Pause after each part of a body, of at most 64 KiB: a body of 4 MB is read in some 6 s, within the time that a request has. */
const PAUSE_MS = 100;

/**
 * Reads slowly what a client still sends after its request was answered, such as the file of a request over its rate. Node would read it as fast as it
 * comes, which takes the event loop and the memory bus from the requests of others; closing the connection would lose the answer of a client
 * that writes before it reads.
 */
export function slowRefusedBodies({ pauseMs = PAUSE_MS } = {}): Before {
  return (request, response, next) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding !== undefined || Number(length ?? 0) > SHORT_BODY_BYTES) {
      // Before the listener of Node, which discards the body of a request that nobody has begun to read.
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
