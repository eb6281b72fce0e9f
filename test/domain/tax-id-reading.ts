import { type IdProblem, isProblem } from '../../src/domain/tax-id.ts';
import { sampleText } from '../support/samples.ts';

/** What a reader returns, with its problem in English. */
export const said = (read: string | IdProblem) => (isProblem(read) ? { problem: read.problem.in('en') } : read);

/** Returns the rows of a sample file of cells that are separated by commas, without its header. */
export const rows = (file: string): string[][] =>
  sampleText(file)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
