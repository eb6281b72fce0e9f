import { parse } from 'csv-parse/sync';
import type { CompanyKey } from '../../domain/company.ts';
import { AppError } from '../../domain/errors.ts';
import { parseDomain, parseOwnerId } from './domain.ts';

/** A csv of known domains, read. */
export interface DomainsFile {
  readonly owners: readonly { readonly domain: string; readonly company: CompanyKey }[];
  /** Lines that were left out, by number, the header being 1. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

const HEADER = ['domain', 'identifier'];

/** Text of a csv `domain,identifier` with that header, commas or semicolons between → what it says, and the lines that say nothing. */
export function readDomainsFile(text: string): DomainsFile {
  const records = cells(text);
  if ('problem' in records) return { owners: [], problems: [{ line: 1, problem: records.problem }] };
  const [header, ...rest] = records;
  if (!header || HEADER.some((name, i) => header.cells[i]?.toLowerCase() !== name)) {
    return { owners: [], problems: [{ line: 1, problem: `The first line is to read ${HEADER.join(',')}.` }] };
  }
  const read = rest.map(({ line, cells: [domain = '', identifier = ''] }) => {
    try {
      return { line, owner: { domain: parseDomain(domain).domain, company: parseOwnerId(identifier) } };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { line, problem: error.message };
    }
  });
  return {
    owners: read.flatMap(({ owner }) => owner ?? []),
    problems: read.flatMap(({ line, problem }) => (problem ? [{ line, problem }] : [])),
  };
}

/** Every line with something in it, by its number. */
function cells(text: string): readonly { readonly line: number; readonly cells: readonly string[] }[] | { readonly problem: string } {
  try {
    const records = parse(text, {
      bom: true,
      delimiter: [',', ';'],
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
    return (records as unknown as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({
      line: info.lines,
      cells: record,
    }));
  } catch {
    return { problem: 'This is no csv: a quote is left open.' };
  }
}
