import { z } from 'zod';
import { isoWithOffset } from '../../domain/time.ts';
import { datetime } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import { parseSite, techLoader } from './loader.ts';

const address = (what: string) =>
  z.string(`Give the ${what} as text.`).trim().min(1, `Give a ${what}.`).max(2_048, `A ${what} is shorter than this.`);

/**
 * POST /v1/tech: technologies of a website. 404 for a domain that does not exist; 422 for malformed input; 503 when the page cannot be
 * read. The reply for a page without known technologies is 200 with an empty list.
 */
export const techRoute = defineRoute({
  method: 'POST',
  path: '/v1/tech',
  module: 'tech',
  operationId: 'detectTechnologies',
  summary: 'Technology stack of a company website.',
  errors: ['DOMAIN_NOT_RESOLVED', 'SOURCE_UNAVAILABLE'],
  body: z
    .object({
      domain: address('domain').optional().describe('A domain of any country; required unless url is given'),
      url: address('URL').optional().describe('A page to read in place of the home page'),
    })
    .refine(({ domain, url }) => domain !== undefined || url !== undefined, { path: ['domain'], message: 'Give a domain or a url.' }),
  reply: z.object({
    domain: z.string(),
    url: z.url().describe('After redirects'),
    technologies: z.array(
      z.object({ name: z.string(), categories: z.array(z.string()), version: z.string().nullable(), confidence: z.int().min(0).max(100) }),
    ),
    checked_at: datetime,
  }),
  async handle({ domain, url }, ctx) {
    const key = url === undefined ? parseSite(domain ?? '', 'domain') : parseSite(url, 'url');
    const { value } = await ctx.ask(techLoader, key);
    return {
      domain: value.domain,
      url: value.url,
      technologies: value.technologies.map(({ name, categories, version, confidence }) => ({
        name,
        categories: [...categories],
        version,
        confidence,
      })),
      checked_at: isoWithOffset(ctx.now()),
    };
  },
});
