import { SANCTIONS_LISTS } from '../../../src/modules/sanctions/domain.ts';
import type { TestApp } from '../../support/app.ts';

export const BRAZILIAN_LISTS = ['CEIS', 'CNEP', 'TRABALHO_ESCRAVO'];
/** The lists that owners are compared with. */
export const LISTS = [...SANCTIONS_LISTS, ...BRAZILIAN_LISTS];

/** Returns the lists that each look-up by key reads from now on, in the order of the look-ups. */
export function recordListReads(app: TestApp): string[][] {
  const reads: string[][] = [];
  app.db.on('query', ({ sql: text, bindings }: { sql: string; bindings?: readonly unknown[] }) => {
    if (text.includes('keys &&')) reads.push(LISTS.filter((list) => bindings?.flat().includes(list)));
  });
  return reads;
}
