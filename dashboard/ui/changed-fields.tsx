import { sourceNameIn } from '../../src/messages/source-names.ts';
import type { ChangeField, ChangeRow } from '../api/operations.ts';
import { isTextKey, type Texts, useTexts } from '../texts/texts.ts';

/** Fields of which no value means that there is none. */
const MAY_BE_NONE: readonly ChangeField[] = ['OWNERS', 'SPECIAL_SITUATION'];

type Changed = ChangeRow['changedFields'][number];

/** Matches the value of a company with more than 100 owners, which is their number; it is empty for none. */
const NUMBER = /^\d*$/;

/** True for a change that names the owners who left and those who joined. */
const namesOwners = ({ field, from, to }: Changed): boolean => field === 'OWNERS' && !(NUMBER.test(from ?? '') && NUMBER.test(to ?? ''));

/** Returns the text of a value. Names of enums are translated, the words of a registry are not. */
function valueText(value: string | null, field: ChangeField, texts: Texts): string {
  if (!value && MAY_BE_NONE.includes(field)) return texts('feed.none');
  if (value === null) return texts('feed.unknown');
  const key = `value.${value}`;
  return isTextKey(key) ? texts(key) : value;
}

interface LineProps {
  readonly change: Changed;
  /** Source of the change. */
  readonly source: ChangeRow['source'];
}

/** The owners who left and those who joined, without a line for nobody. If no owner is on record any more, a line says so. */
function OwnersWho({ change: { from, to }, source }: LineProps) {
  const texts = useTexts();
  // The register of Colombia has no owners, but the legal representative.
  const field = source === 'RUES' ? 'field.OFFICERS' : 'field.OWNERS';
  return (
    <>
      {from && (
        <div className="what">
          <span className="quiet">{texts(`${field}_LEFT`)}</span> <del>{from}</del>
        </div>
      )}
      {to !== null && (
        <div className="what">
          <span className="quiet">{texts(to ? `${field}_JOINED` : field)}</span> <ins>{to || texts('feed.none')}</ins>
        </div>
      )}
    </>
  );
}

/** One changed field, from → to. */
function FromTo({ change: { field, from, to } }: LineProps) {
  const texts = useTexts();
  return (
    <div className="what">
      <span className="quiet">{texts(`field.${field}`)}</span>
      <span>
        <del>{valueText(from, field, texts)}</del> <span aria-hidden="true">→</span>
        <span className="hidden">{texts('feed.to')}</span> <ins>{valueText(to, field, texts)}</ins>
      </span>
    </div>
  );
}

/** The changed fields and the source of the change. */
export function ChangedFields({ change: { changedFields, source } }: { readonly change: Pick<ChangeRow, 'changedFields' | 'source'> }) {
  const { language } = useTexts();
  return (
    <>
      {changedFields.map((change) => {
        const Line = namesOwners(change) ? OwnersWho : FromTo;
        return <Line key={change.field + (change.list ?? '')} change={change} source={source} />;
      })}
      <div className="quiet small">{sourceNameIn(source, language)}</div>
    </>
  );
}
