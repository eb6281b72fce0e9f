/** The part of autocannon that the load generator uses. */
declare module 'autocannon' {
  interface Options {
    readonly url: string;
    readonly method: 'POST';
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration: number;
    /** Milliseconds between checks whether the time is up. */
    readonly sampleInt: number;
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
