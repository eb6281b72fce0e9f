import type { NameGap } from '../state/model.ts';
import type { Texts } from '../texts/texts.ts';

interface Named {
  readonly name: string | null;
  readonly nameGap: NameGap | null;
}

/** The name of a company that was read, or why there is none: a registry that did not answer has said nothing. */
export const nameText = ({ name, nameGap }: Named, texts: Texts): string =>
  name ?? texts(nameGap === null ? 'companies.unnamed' : `companies.nameGap.${nameGap}`);
