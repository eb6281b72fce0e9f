import type { RegistrySource } from '../../../sources/registry/registry.ts';
import { OPTIONAL_DEBARMENT_LISTS } from '../domain.ts';
import type { AgreementEntry } from './acordo-leniencia.ts';
import type { DebarmentEntry } from './entry.ts';
import { SOURCE_OF } from './source-of.ts';

type OptionalSource = RegistrySource<DebarmentEntry | AgreementEntry>;

/** The sources that `npm run codegen` has found. A new list has none until it has run. */
const sources: Readonly<Record<string, unknown>> = SOURCE_OF;

/** The source of each optional list, in the order of `OPTIONAL_DEBARMENT_LISTS`. */
export const optionalDebarmentSources = OPTIONAL_DEBARMENT_LISTS.flatMap((list) => (sources[list] as OptionalSource | undefined) ?? []);
