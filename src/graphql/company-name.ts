import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../context.ts';
import type { ModuleName } from '../domain/catalogue.ts';
import type { CompanyKey, Country } from '../domain/company.ts';
import { isSourceUnavailable } from '../domain/errors.ts';
import type { Offered } from '../loaders/loader.ts';
import { Access } from './access.ts';
import { CompanyType } from './company.ts';

/** A source of the names of companies, which a module declares. */
export interface CompanyNameSource {
  readonly module: ModuleName;
  readonly countries: readonly Country[];
  /** Countries for which the name is null without an error for a key that lacks the module, and another source may have it. */
  readonly optionalIn: readonly Country[];
  /** Loads the name; null if the source has none. */
  readonly nameOf: (company: CompanyKey, ctx: RequestContext) => Promise<string | null>;
}

interface LoaderOfNames<V> extends Pick<CompanyNameSource, 'countries'>, Partial<Pick<CompanyNameSource, 'optionalIn'>> {
  readonly loader: Offered<CompanyKey, V>;
  /** Returns the name in an answer; null or empty if it has none. */
  readonly read: (value: V) => string | null;
}

/** Creates a source of names from a loader. */
export const companyNameSource = <V>({ loader, countries, optionalIn = [], read }: LoaderOfNames<V>): CompanyNameSource => ({
  module: loader.module,
  countries,
  optionalIn,
  nameOf: async (company, ctx) => read((await ctx.ask(loader, company)).value) || null,
});

/** Creates the resolver of `Company.name` from the sources of all modules, in the order in which they are preferred. */
export function companyNameResolver(sources: readonly CompanyNameSource[]): new () => unknown {
  @Resolver(() => CompanyType)
  class CompanyNameResolver {
    @Access('any_key') // `ask` checks the module, which depends on the country
    @FieldResolver(() => String, {
      nullable: true,
      description:
        'Official legal name. BR and CL: from the tax registry, for a key with the module kyb (BR: or owners); null if the registry has no such company. CO: from the commercial register, for a key with the module kyb, else the name of the supplier in its newest contract on SECOP II, for a key with the module tenders; null if neither has one.',
    })
    async name(@Root() company: CompanyType, @Ctx() ctx: RequestContext): Promise<string | null> {
      const { country } = company;
      const served = sources.filter(({ countries }) => countries.includes(country));
      const isOptional = ({ optionalIn }: CompanyNameSource): boolean => optionalIn.includes(country);
      const granted = served.filter(({ module }) => ctx.caller.modules.has(module));
      const needed = granted.length > 0 ? granted : served.filter((source) => !isOptional(source)).slice(0, 1);
      let failure: unknown = null;
      for (const source of needed) {
        try {
          const name = await source.nameOf(company, ctx);
          if (name !== null || !isOptional(source)) return name;
        } catch (error) {
          if (!isOptional(source) || !isSourceUnavailable(error)) throw error;
          failure ??= error; // another source may have the name
        }
      }
      if (failure) throw failure;
      return null;
    }
  }
  return CompanyNameResolver;
}
