/** The part of autocannon that the load generator uses. */
declare module 'autocannon' {
  interface Options {
    readonly url: string;
    /** A client without requests of its own sends this one. */
    readonly method?: 'POST';
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly connections: number;
    /** Duration in seconds. */
    readonly duration: number;
    /** Milliseconds between checks of the duration. */
    readonly sampleInt?: number;
    /** Requests per second over all connections; as many as are answered if it is left out. */
    readonly overallRate?: number;
    /** Called for each connection before it sends. */
    readonly setupClient?: (client: Client) => void;
  }

  interface ClientRequest {
    readonly method: 'POST';
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }

  /** A connection, which sends its next request after the response to the last one. */
  interface Client {
    /** Sets the requests that the connection sends in turn. */
    setRequests(requests: readonly ClientRequest[]): void;
    setHeaders(headers: Readonly<Record<string, string>>): void;
    /** @param listener listener whose `headers` are alternating names and values */
    on(event: 'headers', listener: (answer: { readonly headers: readonly string[] }) => void): this;
    on(event: 'response', listener: (status: number, bytes: number, ms: number) => void): this;
  }

  interface Result {
    readonly '2xx': number;
    readonly non2xx: number;
    /** Number of connection errors, including time-outs. */
    readonly errors: number;
  }

  interface Run extends PromiseLike<Result> {
    on(event: 'response', listener: (client: unknown, status: number, bytes: number, ms: number) => void): this;
  }

  export default function autocannon(options: Options): Run;
}
