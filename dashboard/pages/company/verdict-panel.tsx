import type { QuipuError } from '../../../clients/typescript/src/error.ts';
import { withSourceNames } from '../../../src/messages/source-names.ts';
import type { Country, Verdict } from '../../api/operations.ts';
import { useTexts } from '../../texts/texts.ts';
import { Ago } from '../../ui/age.tsx';
import { Badge, RiskBadge } from '../../ui/badge.tsx';
import { withDates } from '../../ui/date.ts';
import { OwnersToReview } from '../../ui/owners-to-review.tsx';
import { problemText } from '../../ui/problem.ts';

const SEVERITY_TONE = { HIGH: 'high', MEDIUM: 'medium', LOW: 'none' } as const;

interface Props {
  readonly country: Country;
  readonly verdict: Verdict | null;
  /** Reason for a missing verdict. */
  readonly error: QuipuError | null;
}

/** The risk level with its reasons and completeness, and what the check of the country does not cover. */
export function VerdictPanel({ country, verdict, error }: Props) {
  const texts = useTexts();
  if (!verdict) {
    const reason =
      error && error.code !== 'MODULE_NOT_ENABLED' ? texts('problem', { message: problemText(error, texts) }) : texts('company.noModule');
    return <p className="notice">{reason}</p>;
  }
  const { completeness, riskReasons, generatedAt } = verdict;
  return (
    <section className="panel" aria-labelledby="verdict-title">
      <header className="row spread">
        <h2 id="verdict-title">{texts('company.verdict')}</h2>
        <span className="quiet small">
          {texts('companies.age')} <Ago at={generatedAt} />
        </span>
      </header>
      <div className="body verdict">
        <div className="row">
          <RiskBadge verdict={verdict} />
          <span className="quiet">{texts(`completeness.meaning.${completeness}`)}</span>
        </div>
        <p>
          <OwnersToReview verdict={verdict} country={country} />
        </p>
        {riskReasons.length === 0 && <p>{texts('company.noReasons')}</p>}
        {riskReasons.length > 0 && (
          <>
            <h3>{texts('company.reasons')}</h3>
            <ul className="reasons">
              {riskReasons.map(({ check, code, message, severity }) => (
                <li key={check + code + message}>
                  <Badge tone={SEVERITY_TONE[severity]}>{texts(`risk.${severity}`)}</Badge>
                  <span>
                    {texts(`reason.${code}`)}
                    <span className="quiet small"> · {withSourceNames(withDates(message, texts.language), texts.language)}</span>
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
        <p className="quiet small">{texts(`verdict.notCovered.${country}`)}</p>
      </div>
    </section>
  );
}
