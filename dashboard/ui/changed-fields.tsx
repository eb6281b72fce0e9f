import type { ChangeField, ChangeRow } from '../api/operations.ts';
import { isTextKey, type Texts, useTexts } from '../texts/texts.ts';

/** Fields of which no value means that there is none. */
const MAY_BE_NONE: readonly ChangeField[] = ['OWNERS', 'SPECIAL_SITUATION'];

/** Returns the text of a value. Names of enums are translated, the words of a registry are not. */
function valueText(value: string | null, field: ChangeField, texts: Texts): string {
  if (!value && MAY_BE_NONE.includes(field)) return texts('feed.none');
  if (value === null) return texts('feed.unknown');
  const key = `value.${value}`;
  return isTextKey(key) ? texts(key) : value;
}

/** The changed fields, from → to, and the source of the change. */
export function ChangedFields({ change: { changedFields, source } }: { readonly change: Pick<ChangeRow, 'changedFields' | 'source'> }) {
  const texts = useTexts();
  return (
    <>
      {changedFields.map(({ field, from, to, list }) => (
        <div key={field + (list ?? '')} className="what">
          <span className="quiet">{texts(`field.${field}`)}</span>
          <span>
            <del>{valueText(from, field, texts)}</del> <span aria-hidden="true">→</span>
            <span className="hidden">{texts('feed.to')}</span> <ins>{valueText(to, field, texts)}</ins>
          </span>
        </div>
      ))}
      <div className="quiet small">{source}</div>
    </>
  );
}
