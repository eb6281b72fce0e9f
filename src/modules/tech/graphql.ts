import { Arg, Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import { Access } from '../../graphql/access.ts';
import { check, FreshnessType } from '../../graphql/check.ts';
import { Cost } from '../../graphql/limits/cost.ts';
import { UrlScalar } from '../../graphql/scalars.ts';
import type { Technology, TechStack } from './domain.ts';
import { parseSite, techLoader } from './loader.ts';

@ObjectType('Technology', { description: 'A technology that was detected on a website.', simpleResolvers: true })
class TechnologyType implements Technology {
  @Field(() => String, { description: 'Its name.' }) name!: string;
  @Field(() => [String], { description: 'Purposes, e.g. Ecommerce, Payment processors.' }) categories!: readonly string[];
  @Field(() => String, { nullable: true, description: 'Null where the site does not state it.' }) version!: string | null;
  @Field(() => Int, { description: 'Confidence, 50 to 100.' }) confidence!: number;
}

@ObjectType('TechStack', { description: 'Technologies that were detected on a website.', simpleResolvers: true })
class TechStackType implements TechStack {
  @Field(() => String, { description: 'The requested domain, in ASCII.' }) domain!: string;
  @Field(() => UrlScalar, { description: 'The page that was read, after redirects.' }) url!: string;
  @Field(() => [TechnologyType], {
    description: 'Sorted by confidence, then name. Empty if the page was read and has no known technology.',
  })
  technologies!: readonly Technology[];
  @Field(() => Boolean, { description: 'False when the name servers did not answer, so that mail suites could not be detected.' })
  dnsChecked!: boolean;
  @Field(() => FreshnessType, { description: 'Age of the answer.' }) freshness!: FreshnessType;
}

@Resolver()
export class TechResolver {
  @Cost(10)
  @Access('tech')
  @Query(() => TechStackType, {
    nullable: true,
    description:
      'Technologies of a website, by its home page. Module tech. Null beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, DOMAIN_NOT_RESOLVED (no such name) or SOURCE_UNAVAILABLE (the page could not be read).',
  })
  async techStack(
    @Arg('domain', () => String, { description: 'A domain of any country, or a URL, which is then read instead of the home page.' })
    domain: string,
    @Ctx() ctx: RequestContext,
  ): Promise<TechStackType> {
    return check(await ctx.ask(techLoader, parseSite(domain, 'domain')));
  }
}
