import type { MutableWorld } from '../world/mutable-world.ts';

/** A request as a simulated upstream sees it. */
export interface SimulatedRequest {
  readonly method: string;
  /** Path below the simulator's own prefix, starting with `/`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Epoch ms on the sandbox's clock: decides which editions are out. */
  readonly now: number;
  /** What an operator changed of the made-up world. */
  readonly world: MutableWorld;
}

/** A document before it is encoded: what a fault can damage and still send well framed. */
export interface Published {
  readonly format: 'json' | 'csv' | 'xml' | 'html';
  /** Records of a list, or members of a JSON object, in order. */
  readonly rows: readonly string[];
  /** Rows → the whole text. Counts that the text states follow the rows given. */
  readonly frame: (rows: readonly string[]) => string;
  /** The text, its one indispensable column, element or property renamed or gone. */
  readonly misname: (text: string) => string;
  readonly charset: 'utf-8' | 'windows-1252';
  /** Text in its charset → the file as published, e.g. zipped. The text itself where left out. */
  readonly pack?: (bytes: Buffer) => Promise<Buffer>;
}

export interface SimulatedReply {
  readonly status: number;
  /** A list for a header that comes several times. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer | string | Published;
}

/** One upstream served on loopback in its own format, over the made-up world. */
export interface Simulator {
  /** Name of the source it stands for; the prefix of its paths is `/<name in lower case>`. */
  readonly name: string;
  handle(request: SimulatedRequest): SimulatedReply | Promise<SimulatedReply>;
}
