import { invalidInput } from '../../src/domain/errors.ts';

/** Failure modes of a simulated upstream, and their effects for a client. */
export const FAULT_MEANINGS = {
  down: 'the connection is reset before any answer',
  slow: 'the correct response, after `ms` (3,000 unless given)',
  hung: 'no response; the connection stays open',
  silent_after_headers: 'the correct headers, then nothing; the connection stays open',
  drip: 'the correct response, one byte every `ms` (1,000 unless given)',
  reset_mid_body: 'half the body, then a reset',
  truncated: 'half the body, then the end, while Content-Length promises all of it',
  cut_json: 'half the body, without Content-Length: the end of the connection ends it',
  malformed: 'JSON that does not parse, a csv with an unclosed quote, XML with a wrong end tag',
  wrong_shape: 'valid syntax, but another structure: `{}`, another table, another document',
  wrong_columns: 'a required property, column or element has another name',
  shrunk: 'nine of ten rows are missing, the rest is correct',
  empty: '200 without a body',
  wrong_charset: 'encoded in a charset other than the declared one',
  html_200: 'a maintenance page with status 200',
  html_404: 'an HTML page with status 404',
  rate_limited: '429 in plain text, Retry-After in seconds (`ms`, 30,000 unless given)',
  rate_limited_date: '429, Retry-After as a date',
  status_500: 'status 500',
  status_503_retry_after: 'status 503, Retry-After in seconds',
  gzip_bomb: '200 MiB of zeros in 204 kB of gzip',
  corrupt_gzip: 'damaged gzip, ended by the end of the connection',
  endless_body: 'a body without end',
  big_headers: 'the correct response with 70 kB of headers',
} as const;
export type FaultMode = keyof typeof FAULT_MEANINGS;

export const FAULT_MODES = Object.keys(FAULT_MEANINGS) as FaultMode[];

const ALIASES = { '429': 'rate_limited', short_body: 'truncated' } as const satisfies Record<string, FaultMode>;

/** A fault to inject. */
export interface Fault {
  readonly mode: FaultMode | keyof typeof ALIASES;
  /** Delay, interval or Retry-After in milliseconds, for the modes that have one. */
  readonly ms?: number;
  /** Number of requests that fail, counted from now; undefined for all of them. */
  readonly times?: number;
  /** Limits the fault to requests whose path below the source's prefix contains this text, case-insensitively; e.g. one bare CNPJ, or `.txt`. */
  readonly match?: string;
}

/** An active fault: aliases are resolved, `times` counts down. */
export type ActiveFault = Fault & { readonly mode: FaultMode };

/** Stores at most one active fault per source. Faults are set and cleared while the sandbox runs. */
export class Faults {
  readonly #sources: readonly string[];
  readonly #active = new Map<string, ActiveFault>();

  constructor(sources: readonly string[]) {
    this.#sources = sources;
  }

  /** The sources that can have a fault. */
  get sources(): readonly string[] {
    return this.#sources;
  }

  /** Replaces the fault of a source; null clears it. @throws AppError INVALID_INPUT on `source`, `mode`, `ms`, `times` or `match` */
  set(source: string, fault: Fault | null): void {
    const name = this.name(source);
    if (fault === null) this.#active.delete(name);
    else this.#active.set(name, checked(fault));
  }

  /** @throws AppError INVALID_INPUT on `source` */
  get(source: string): ActiveFault | null {
    return this.#active.get(this.name(source)) ?? null;
  }

  /** Returns the active faults by source. */
  list(): Readonly<Record<string, ActiveFault>> {
    return Object.fromEntries(this.#active);
  }

  /** Clears every fault. */
  clear(): void {
    this.#active.clear();
  }

  /** Returns the fault that applies to a request, and counts its `times` down. It returns null for none. */
  take(source: string, path: string): ActiveFault | null {
    const fault = this.get(source);
    if (!fault || !path.toLowerCase().includes((fault.match ?? '').toLowerCase())) return null;
    if (fault.times !== undefined) this.set(source, fault.times > 1 ? { ...fault, times: fault.times - 1 } : null);
    return fault;
  }

  /** Resolves a source name case-insensitively. @throws AppError INVALID_INPUT on `source`, listing the valid names */
  name(source: string): string {
    const name = this.#sources.find((one) => one.toLowerCase() === source.toLowerCase());
    if (!name) throw invalidInput('source', `There is no simulated source "${source}". There are: ${this.#sources.join(', ')}.`);
    return name;
  }
}

function checked(fault: Fault): ActiveFault {
  const mode = Object.hasOwn(ALIASES, fault.mode) ? ALIASES[fault.mode as keyof typeof ALIASES] : fault.mode;
  if (!Object.hasOwn(FAULT_MEANINGS, mode)) {
    throw invalidInput('mode', `There is no failure mode "${mode}". There are: ${[...FAULT_MODES, ...Object.keys(ALIASES)].join(', ')}.`);
  }
  whole('ms', fault.ms, 0, 600_000);
  whole('times', fault.times, 1, 1_000_000);
  if (fault.match !== undefined && typeof fault.match !== 'string') throw invalidInput('match', 'match is a part of a path, as text.');
  return { ...fault, mode: mode as FaultMode };
}

function whole(field: string, value: number | undefined, min: number, max: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return;
  throw invalidInput(field, `${field} is a whole number from ${min} to ${max}.`);
}
