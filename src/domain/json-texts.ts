/**
 * A list of texts that is kept as its JSON, as Postgres writes it. A page of monitors has 50,000 tax ids; as separate strings, most of the
 * time of its answer would go to the garbage collector.
 */
export class JsonTexts implements Iterable<string> {
  /** JSON of an array of strings, without white space. */
  readonly json: string;
  /** Number of texts. */
  readonly length: number;

  constructor(json: string, length: number) {
    this.json = json;
    this.length = length;
  }

  [Symbol.iterator](): Iterator<string> {
    return (JSON.parse(this.json) as readonly string[])[Symbol.iterator]();
  }
}
