import { dns } from '../../sources/dns-source.ts';
import { website } from '../../sources/website/website.ts';
import { defineModule } from '../module.ts';
import { TechResolver } from './graphql.ts';
import { techRoute } from './rest.ts';

/** What a company's website is made with. */
export const tech = defineModule({
  name: 'tech',
  sources: [website, dns],
  resolvers: [TechResolver],
  routes: [techRoute],
});
