import type { PublicRecord } from '../../api/operations.ts';
import { type Texts, useTexts } from '../../texts/texts.ts';
import { dateText } from '../../ui/date.ts';

type Registration = NonNullable<PublicRecord['chamberRegistrations']>[number];

/** The registrations of a Colombian company at chambers of commerce, the one whose state is that of the company first. */
export function Chambers({ registrations }: { readonly registrations: readonly Registration[] }) {
  const texts = useTexts();
  if (registrations.length === 0) return null;
  return (
    <details className="body small">
      <summary>{texts('chambers.title', { n: registrations.length })}</summary>
      <ul>
        {registrations.map((one) => (
          <li key={`${one.chamber} ${one.number}`}>{registrationText(one, texts)}</li>
        ))}
      </ul>
    </details>
  );
}

function registrationText(one: Registration, texts: Texts): string {
  const date = (day: string): string => dateText(day, texts.language);
  return [
    [one.chamber, one.number].filter(Boolean).join(' '),
    one.state,
    texts(`chambers.${one.category}`),
    one.registeredOn && texts('chambers.since', { date: date(one.registeredOn) }),
    one.lastRenewedYear !== null && texts('chambers.renewed', { year: String(one.lastRenewedYear) }),
    one.cancelledOn && texts('chambers.cancelled', { date: date(one.cancelledOn) }),
    one.isChosen && texts('chambers.chosen'),
  ]
    .filter(Boolean)
    .join(' · ');
}
