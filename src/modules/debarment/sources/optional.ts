import type { RegistrySource } from '../../../sources/registry/registry.ts';
import { OPTIONAL_DEBARMENT_LISTS } from '../domain.ts';
import type { AgreementEntry } from './acordo-leniencia.ts';
import type { DebarmentEntry } from './entry.ts';
import { SOURCE_OF } from './source-of.ts';

/** The source of each optional list, in the order of `OPTIONAL_DEBARMENT_LISTS`. */
export const optionalDebarmentSources = OPTIONAL_DEBARMENT_LISTS.map((list) => SOURCE_OF[list]) as readonly RegistrySource<
  DebarmentEntry | AgreementEntry
>[];
