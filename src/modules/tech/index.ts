import { dns } from '../../sources/dns-source.ts';
import { website } from '../../sources/website/website.ts';
import { defineModule } from '../module.ts';
import { TechResolver } from './graphql.ts';
import { techRoute } from './rest.ts';

/** Technologies of a company's website. */
export const tech = defineModule({
  name: 'tech',
  sources: [website, dns],
  resolvers: [TechResolver],
  routes: [techRoute],
});
