import { Arg, Ctx, Field, FieldResolver, Float, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import { companyNotFound } from '../../domain/company.ts';
import { Access, Served } from '../../graphql/access.ts';
import { check, FreshnessType } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { CountryEnum, defineEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { Cost } from '../../graphql/limits/cost.ts';
import { UrlScalar } from '../../graphql/scalars.ts';
import { requireOwner } from '../../loaders/domain-owner.ts';
import { parseDomain } from '../../sources/domains/domain.ts';
import type { Candidate, DomainOwner, Evidence, OwnerMethod, Unresolved } from '../../sources/domains/owner.ts';
import type { CompanyProfile, CompanySize, EmployeesRange } from './domain.ts';
import { ownerLoader, profileLoader } from './loader.ts';

const CompanySizeEnum = defineEnum<CompanySize>('CompanySize', 'Size of a company by its tax registry.', {
  small: 'BR: MICRO EMPRESA, EMPRESA DE PEQUENO PORTE, MEI. CL: sales brackets 2–7, micro and pequeña, up to UF 25,000 a year.',
  large: 'BR: DEMAIS, which is neither micro nor small. CL: sales brackets 8–13, mediana and grande.',
  unknown: 'The registry does not state the size.',
});

const ProfileStatusEnum = defineEnum<CompanyProfile['status']>(
  'ProfileStatus',
  'Registration status of a company that is in its registry.',
  {
    active: 'Registered and active.',
    inactive: 'Registered, but closed, suspended, unfit, void or never started.',
  },
);

const OwnerMethodEnum = defineEnum<OwnerMethod>('DomainOwnerMethod', 'Way in which the company behind a domain was found.', {
  known: 'An operator of this service entered the company.',
  rdap: "The domain registry's registrant.",
  site: "The site's own pages.",
});

const UnresolvedEnum = defineEnum<Unresolved>('DomainNotResolvedReason', 'Reason for which a domain leads to no company.', {
  not_registered: 'The domain registry does not have the domain.',
  no_such_name: 'The domain does not exist in the DNS.',
  person: 'The holder is a person.',
  robots: 'The robots.txt of its site forbids access.',
  not_named: 'No page of its site has sufficient evidence of a company.',
  ambiguous: 'Its pages name several companies with similar confidence.',
});

const EvidenceKindEnum = defineEnum<Evidence['kind']>('DomainEvidenceKind', 'Place in which a tax id was found.', {
  structured: 'In the structured data (JSON-LD) of a page.',
  footer: 'Next to its label in the footer of a page.',
  label: 'Next to its label elsewhere on a page.',
  unlabelled: "Next to a company's name on a page, without a label.",
  registrant: 'In the domain registry.',
});

@ObjectType('CompanyProfile', {
  description: 'Profile of a company, from its tax registry; CO: from the commercial register.',
  simpleResolvers: true,
})
class CompanyProfileType implements CompanyProfile {
  @Field(() => String, { description: 'Official legal name.' }) companyName!: string;
  @Field(() => String, {
    nullable: true,
    description: "Main economic activity in the registry's words; null where it names none, and for CO, whose register has codes only.",
  })
  activity!: string | null;
  @Field(() => String, {
    nullable: true,
    description:
      'CL: CIIU4.CL, six digits. BR: CNAE, seven digits. CO: CIIU, four digits, or a letter and digits in old registrations. Without punctuation; null where the registry names none.',
  })
  activityCode!: string | null;
  @Field(() => CompanySizeEnum, { description: 'Size of the company; UNKNOWN for CO.' }) size!: CompanySize;
  @Field(() => String, {
    nullable: true,
    description: 'Dependent workers declared (CL): 0, 1-9, 10-49, 50-199, 200-999 or 1000+. Null where unknown, and for BR and CO.',
  })
  employeesRange!: EmployeesRange | null;
  @Field(() => String, {
    nullable: true,
    description:
      'CL: name of the region. BR: the two letters of the state (UF). CO: name of the chamber of commerce. Null where unknown, and abroad.',
  })
  region!: string | null;
  @Field(() => Int, {
    nullable: true,
    description:
      "Year of first tax registration (BR: of this establishment's; CO: of the first registration at a chamber of commerce); null when unknown.",
  })
  foundedYear!: number | null;
  @Field(() => ProfileStatusEnum, { description: 'Registration status at the registry.' }) status!: CompanyProfile['status'];
  @Field(() => CountryEnum, { description: 'Country in which it is registered.' }) country!: CompanyProfile['country'];
  @Field(() => SourceNameEnum, { description: 'The registry that answered: RECEITA_FEDERAL (BR), SII (CL) or RUES (CO).' })
  source!: CompanyProfile['source'];
  @Field(() => FreshnessType, { description: 'Age of the answer.' }) freshness!: FreshnessType;
}

@ObjectType('DomainEvidence', { description: 'Evidence that a company owns a domain.', simpleResolvers: true })
class DomainEvidenceType implements Evidence {
  @Field(() => UrlScalar, { nullable: true, description: 'URL of the page; null for a registrant of the domain registry.' }) url!:
    | string
    | null;
  @Field(() => String, { description: "The words around the tax id, or the registrant's name; personal data are removed." })
  snippet!: string;
  @Field(() => EvidenceKindEnum, { description: 'Place in which the evidence was found.' }) kind!: Evidence['kind'];
}

@ObjectType('DomainCandidate', { description: 'A company that is named on the pages of a site.', simpleResolvers: true })
class DomainCandidateType {
  @Field(() => CompanyType, { description: 'The company.' }) company!: CompanyType;
  @Field(() => Float, { description: 'Confidence, 0 to 1.' }) confidence!: number;
  @Field(() => DomainEvidenceType, { description: 'The strongest evidence for it.' }) evidence!: Evidence;
}

@ObjectType('DomainOwner', { description: 'The company that owns a domain, and the evidence for it.', simpleResolvers: true })
class DomainOwnerType implements Omit<DomainOwner, 'company' | 'candidates'> {
  @Field(() => String, { description: 'Registrable domain, in ASCII.' }) domain!: string;
  @Field(() => CompanyType, { nullable: true, description: 'The company; null if none was found, see `reason`.' })
  company!: CompanyType | null;
  @Field(() => Float, {
    description: '1 for a company that an operator entered, 0.95 for a registrant, 0.5 to 0.95 for a site; 0 without a company.',
  })
  confidence!: number;
  @Field(() => OwnerMethodEnum, { description: 'The method that found it, or that was tried last.' }) method!: OwnerMethod;
  @Field(() => DomainEvidenceType, { nullable: true, description: 'Null for a company that an operator entered, and without a company.' })
  evidence!: Evidence | null;
  @Field(() => [DomainCandidateType], { description: 'Companies that its pages name, the likeliest first; at most 5.' })
  candidates!: DomainCandidateType[];
  @Field(() => UnresolvedEnum, { nullable: true, description: 'Reason for which there is no company; null where there is one.' })
  reason!: Unresolved | null;
  @Field(() => FreshnessType, { description: 'Age of the answer.' }) freshness!: FreshnessType;
}

const PASTED = 'Domain under .cl or .br; a URL or an e-mail address of the domain is accepted, too.';

@Resolver(() => CompanyType)
export class EnrichResolver {
  @Served(profileLoader.countries)
  @Access('enrich')
  @FieldResolver(() => CompanyProfileType, {
    nullable: true,
    description:
      'Profile of the company. Module enrich. Null beside an error: MODULE_NOT_ENABLED, COMPANY_NOT_FOUND or SOURCE_UNAVAILABLE.',
  })
  async profile(@Root() company: CompanyType, @Ctx() ctx: RequestContext): Promise<CompanyProfileType> {
    const { value, freshness } = await ctx.ask(profileLoader, company);
    if (!value) throw companyNotFound(company.country, freshness.dataAsOf);
    return check({ value, freshness });
  }

  @Cost(10)
  @Access('enrich')
  @Query(() => CompanyType, {
    nullable: true,
    description:
      'The company that owns a domain. Module enrich. Null beside an error: DOMAIN_NOT_RESOLVED, SOURCE_UNAVAILABLE or INVALID_INPUT.',
  })
  async companyByDomain(
    @Arg('domain', () => String, { description: PASTED }) domain: string,
    @Ctx() ctx: RequestContext,
  ): Promise<CompanyType> {
    return new CompanyType(requireOwner((await ctx.ask(ownerLoader, parseDomain(domain))).value));
  }

  @Cost(10)
  @Access('enrich')
  @Query(() => DomainOwnerType, {
    nullable: true,
    description:
      'The company that owns a domain, with confidence and evidence; the reason if none was found. Module enrich. Null beside an error: SOURCE_UNAVAILABLE or INVALID_INPUT.',
  })
  async domainOwner(
    @Arg('domain', () => String, { description: PASTED }) domain: string,
    @Ctx() ctx: RequestContext,
  ): Promise<DomainOwnerType> {
    const { value, freshness } = await ctx.ask(ownerLoader, parseDomain(domain));
    return {
      ...value,
      company: value.company && new CompanyType(value.company),
      candidates: value.candidates.map(toCandidate),
      freshness,
    };
  }
}

const toCandidate = ({ company, ...rest }: Candidate): DomainCandidateType => ({ ...rest, company: new CompanyType(company) });
