import type { NameGap } from '../state/model.ts';
import type { Texts } from '../texts/texts.ts';

interface Named {
  readonly name: string | null;
  readonly nameGap: NameGap | null;
}

/**
 * Returns the name of a company that was read, or the reason for its absence. A registry that did not answer is distinguished from one
 * without a name.
 */
export const nameText = ({ name, nameGap }: Named, texts: Texts): string =>
  name ?? texts(nameGap === null ? 'companies.unnamed' : `companies.nameGap.${nameGap}`);
