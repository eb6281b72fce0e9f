import { dns } from '../../sources/dns-source.ts';
import { defineModule } from '../module.ts';
import { EmailResolver } from './graphql.ts';
import { validateEmailRoute } from './rest.ts';

/** E-mail addresses: form, the route of their mail, and what kind of provider they are with. */
export const validate = defineModule({
  name: 'validate',
  sources: [dns],
  resolvers: [EmailResolver],
  routes: [validateEmailRoute],
});
