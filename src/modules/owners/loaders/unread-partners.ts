import type { FetchingLoader } from '../../../loaders/loader.ts';
import { copyLoader } from '../../../loaders/registry-copy.ts';

/** Number of lines of partners that the copy could not read, so that an owner may be missing. They may be of any company. */
export const unreadPartnersLoader: FetchingLoader<'all', number> = copyLoader({
  name: 'receita_unread_partners',
  key: (all) => all,
  read: (copy, keys) => copy.read(async (_, { unreadPartners }) => keys.map(() => unreadPartners)),
});
