import { type GraphQLArgument, type GraphQLSchema, getNamedType, isEnumType, isInputObjectType, isObjectType } from 'graphql';
import { useState } from 'react';
import { useTexts } from '../texts/texts.ts';

type Show = (type: string) => void;

/** The documentation of the schema, one type at a time. Its descriptions are English in every language of the page. */
export function SchemaDocs({ schema }: { readonly schema: GraphQLSchema }) {
  const texts = useTexts();
  const [name, show] = useState('Query');
  const names = Object.keys(schema.getTypeMap())
    .filter((one) => !one.startsWith('__'))
    .sort();
  const type = schema.getType(name);
  return (
    <section className="panel body schema-docs" aria-label={texts('explorer.docs')}>
      <div className="row spread">
        <h2>{texts('explorer.docs')}</h2>
        <select translate="no" aria-label={texts('explorer.type')} value={name} onChange={({ target }) => show(target.value)}>
          {names.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </div>
      <p lang="en">{type?.description}</p>
      <dl lang="en">
        {(isObjectType(type) || isInputObjectType(type)) &&
          Object.values(type.getFields()).map((field) => (
            <div key={field.name}>
              <dt>
                <code>{field.name}</code>
                {'args' in field && <Arguments args={field.args} show={show} />}: <TypeLink of={field.type} show={show} />
              </dt>
              <dd className="small">{field.description}</dd>
            </div>
          ))}
        {isEnumType(type) &&
          type.getValues().map((value) => (
            <div key={value.name}>
              <dt>
                <code>{value.name}</code>
              </dt>
              <dd className="small">{value.description}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

function Arguments({ args, show }: { readonly args: readonly GraphQLArgument[]; readonly show: Show }) {
  if (args.length === 0) return null;
  return (
    <>
      (
      {args.map((arg, i) => (
        <span key={arg.name} title={arg.description ?? ''}>
          {i > 0 && ', '}
          <code>{arg.name}</code>: <TypeLink of={arg.type} show={show} />
        </span>
      ))}
      )
    </>
  );
}

function TypeLink({ of, show }: { readonly of: Parameters<typeof getNamedType>[0]; readonly show: Show }) {
  const name = getNamedType(of)?.name ?? '';
  return (
    <button type="button" className="plain type" onClick={() => show(name)}>
      {String(of)}
    </button>
  );
}
