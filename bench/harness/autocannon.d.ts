/** The part of autocannon that the load generator uses. */
declare module 'autocannon' {
  interface Options {
    readonly url: string;
    readonly method: 'POST';
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    /** Milliseconds between checks whether the time is up. */
    readonly sampleInt?: number;
    /** Called for each connection before it sends. */
    readonly setupClient?: (client: Client) => void;
  }

  /** A connection, which sends its next request when the last one was answered. */
  interface Client {
    setHeaders(headers: Readonly<Record<string, string>>): void;
    /** @param listener its `headers` are names and values in turn */
    on(event: 'headers', listener: (answer: { readonly headers: readonly string[] }) => void): this;
    on(event: 'response', listener: (status: number, bytes: number, ms: number) => void): this;
  }

  interface Result {
    readonly '2xx': number;
    readonly non2xx: number;
    /** Connection errors, time-outs included. */
    readonly errors: number;
  }

  interface Run extends PromiseLike<Result> {
    on(event: 'response', listener: (client: unknown, status: number, bytes: number, ms: number) => void): this;
  }

  export default function autocannon(options: Options): Run;
}
