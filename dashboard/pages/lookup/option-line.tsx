import type { DashboardState } from '../../state/model.ts';
import { canAssess } from '../../state/portfolio.ts';
import { useTexts } from '../../texts/texts.ts';
import type { LookupOption } from './suggestions.ts';

interface OptionLineProps {
  readonly option: LookupOption;
  /** The account of the key, whose modules determine what a company counts; null until it is known. */
  readonly account: DashboardState['account'];
}

/** A choice of the box: what it does, and what it counts on the key's plan. */
export function OptionLine({ option, account }: OptionLineProps) {
  const texts = useTexts();
  if (option.kind === 'domain')
    return <Line title={texts('lookup.domain', { domain: option.domain })} notes={[texts('lookup.counts.domain')]} />;
  if (option.kind === 'name' || option.kind === 'results') {
    const searched = { country: texts(`country.${option.country}`), name: option.name };
    return <Line title={texts(`lookup.${option.kind}`, searched)} notes={[texts('lookup.counts.name')]} />;
  }
  const { country, formattedIdentifier: id, name, place, origin } = option;
  const corrected = `${texts('digits.wrong')} ${texts('digits.meant', { id })}`;
  const title = name ?? (origin === 'corrected' ? corrected : texts('lookup.exact', { id }));
  const notes = [
    name !== null && id,
    texts(`country.${country}`),
    place,
    origin === 'watched' && texts('lookup.watched'),
    account && texts(`lookup.counts.${canAssess({ account }, country) ? 'consolidated' : country}`),
  ];
  return <Line title={title} notes={notes} />;
}

function Line({ title, notes }: { readonly title: string; readonly notes: readonly (string | false | null)[] }) {
  return (
    <>
      <span className="title">{title}</span>
      <span className="quiet small">{notes.filter(Boolean).join(' · ')}</span>
    </>
  );
}
