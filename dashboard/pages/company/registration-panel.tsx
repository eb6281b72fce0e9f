import type { Client } from '../../api/client.ts';
import { type PublicRecord, PublicRegistration } from '../../api/operations.ts';
import type { ShownCompany } from '../../state/model.ts';
import { useAction } from '../../state/use-action.ts';
import { useTexts } from '../../texts/texts.ts';
import { FreshnessLine } from '../../ui/freshness.tsx';
import { problemText } from '../../ui/problem.ts';
import { SkeletonLines } from '../../ui/skeleton.tsx';
import { Branches } from './branches.tsx';
import { RegistrationCard } from './registration-card.tsx';

interface Props {
  readonly client: Client;
  readonly company: ShownCompany;
  /** Registration; null if the registry has no such company, undefined if it was not read. */
  readonly registration: PublicRecord | null | undefined;
  /** True if the key has the module of registrations. */
  readonly hasKyb: boolean;
  readonly onRead: (registration: PublicRecord) => void;
}

/**
 * The registration of a company. The consolidated check has it. If that check did not read it, it is read on demand, because it counts on the
 * key's plan, and so are the branches of a Brazilian company. They stay when the registration arrives, because each page of them was counted.
 */
export function RegistrationPanel({ client, company, registration, hasKyb, onRead }: Props) {
  const texts = useTexts();
  if (registration === null || !(registration || hasKyb)) return null;
  const { country, identifier } = company;
  return (
    <section className="panel registration" aria-labelledby="registration-title">
      <header className="row spread">
        <h2 id="registration-title">{texts('record.title')}</h2>
        {registration && <FreshnessLine freshness={registration.freshness} />}
      </header>
      {registration ? <RegistrationCard record={registration} /> : <Unread {...{ client, company, onRead }} />}
      {hasKyb && country === 'BR' && <Branches {...{ client, country, identifier }} />}
    </section>
  );
}

function Unread({ client, company: { country, identifier }, onRead }: Pick<Props, 'client' | 'company' | 'onRead'>) {
  const texts = useTexts();
  const { isBusy, problem, run } = useAction(client, PublicRegistration, ({ company }) => {
    if (company?.registration) onRead(company.registration);
  });
  return (
    <div className="body column">
      <p>
        <button type="button" disabled={isBusy} onClick={() => void run({ country, identifier })}>
          {texts('record.read')}
        </button>
      </p>
      {isBusy && <SkeletonLines />}
      {problem && (
        <p className="notice" role="alert">
          {texts('notRead', { message: problemText(problem, texts) })}
        </p>
      )}
    </div>
  );
}
