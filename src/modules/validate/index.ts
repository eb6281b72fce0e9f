import { dns } from '../../sources/dns-source.ts';
import { defineModule } from '../module.ts';
import { EmailResolver } from './graphql.ts';
import { validateEmailRoute } from './rest.ts';

/** Validation of e-mail addresses: format, mail servers and kind of provider. */
export const validate = defineModule({
  name: 'validate',
  sources: [dns],
  resolvers: [EmailResolver],
  routes: [validateEmailRoute],
});
