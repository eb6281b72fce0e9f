import { describe, expect, it } from 'vitest';
import { suggestionsFor } from '../../dashboard/pages/lookup/suggestions.ts';
import { watchedCompany } from './watched-company.ts';

const watched = watchedCompany({ name: 'PADARIA DO JOSÉ LTDA' });
const companies = new Map([['BR/11222333000181', watched]]);
const withModules = (...modules: readonly string[]) => ({
  companies,
  account: { id: 'a', name: 'a', role: 'READ' as const, needsApproval: false, modules },
});
const ALL = withModules('KYB', 'ENRICH');

describe('the choices of the box that finds a company', () => {
  it('have the name of a watched company beside its tax id', () => {
    expect(suggestionsFor('11222333000181', ALL).options).toMatchObject([{ kind: 'company', origin: 'exact', name: watched.name }]);
  });

  it.each(['padaria do jose', 'José', '112223', '11.222.333'])('have a watched company first for %s', (text) => {
    const { options } = suggestionsFor(text, ALL);
    expect(options[0]).toMatchObject({ kind: 'company', origin: 'watched', identifier: watched.identifier });
  });

  it.each([
    ['luadepapel.com.br', 'luadepapel.com.br'],
    ['https://www.marraqueta.cl/contacto?x=1', 'www.marraqueta.cl'],
    ['Ana.Fulana@Marraqueta.CL', 'marraqueta.cl'],
  ])('have the search of the domain of %s, without what stands before and after it', (text, domain) => {
    expect(suggestionsFor(text, ALL)).toEqual({ options: [{ kind: 'domain', domain }], hint: null });
  });

  it('have a search by name in each country that has one', () => {
    expect(suggestionsFor('cuatro vientos', ALL).options).toEqual([
      { kind: 'name', country: 'BR', name: 'cuatro vientos' },
      { kind: 'name', country: 'CL', name: 'cuatro vientos' },
    ]);
  });

  it.each([
    ['a domain of another country', 'example.com', ALL, 'lookup.otherDomain'],
    ['a number that is no tax id', '12345', ALL, 'lookup.notAnId'],
    ['the CPF of a person', '529.982.247-25', ALL, 'lookup.notAnId'],
    ['a domain, for a key without the module', 'luadepapel.com.br', withModules('KYB'), 'lookup.noModule'],
    ['a name, for a key without the module', 'cuatro vientos', withModules('ENRICH'), 'lookup.noModule'],
  ])('are none for %s, and say why', (_, text, state, hint) => {
    expect(suggestionsFor(text, state)).toEqual({ options: [], hint });
  });

  it.each(['cuatro vientos', 'luadepapel.com.br'])(
    'have no search of %s, and no refusal of one, before the modules of the key are known',
    (text) => {
      expect(suggestionsFor(text, { companies, account: null })).toEqual({ options: [], hint: null });
    },
  );
});
