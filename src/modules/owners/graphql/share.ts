import { Field, ObjectType } from 'type-graphql';
import type { Freshness } from '../../../domain/answer.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import { defineEnum, SourceNameEnum } from '../../../graphql/enums.ts';
import { DateScalar, DecimalScalar } from '../../../graphql/scalars.ts';
import type { Language } from '../../../messages/message.ts';
import { COMPOSITION_STATUSES, type OwnershipComposition, ownersFileCoverage } from '../domain/declared.ts';
import { type OwnershipShare, SHARE_BASES, type ShareBasis } from '../domain/share.ts';

const ShareBasisEnum = defineEnum<ShareBasis>('OwnershipShareBasis', 'Basis of a share.', SHARE_BASES);

@ObjectType('OwnershipShare', { description: 'The share of an owner in a company, directly or through others.', simpleResolvers: true })
export class OwnershipShareType implements OwnershipShare {
  @Field(() => DecimalScalar, { nullable: true, description: 'Percentage; null if it is not known.' }) percent!: string | null;
  @Field(() => ShareBasisEnum, { description: 'Basis of the percentage, or reason for which there is none.' }) basis!: ShareBasis;
  @Field(() => DateScalar, { nullable: true, description: 'Date of the file that states it; null for a share that no file states.' })
  asOf!: string | null;
  @Field(() => SourceNameEnum, { nullable: true, description: 'The source that states it: CL_OWNERSHIP; null for none.' })
  source!: SourceName | null;
  @Field(() => String, {
    nullable: true,
    description:
      'Text of the share in the file if it is no percentage of 0 to 100, for instance `10183`: the reason for NOT_DECLARED. Up to 40 characters. Null for another reason, such as a blank share.',
  })
  declaredText?: string;
}

const CompositionStatusEnum = defineEnum<OwnershipComposition['status']>(
  'OwnershipCompositionStatus',
  'Publication of the owners of a Chilean company.',
  COMPOSITION_STATUSES,
);

@ObjectType('OwnershipComposition', {
  description: 'The owners of a Chilean company as a whole, from the yearly file of the tax registry, as declared to it.',
  simpleResolvers: true,
})
export class OwnershipCompositionType implements OwnershipComposition {
  @Field(() => CompositionStatusEnum, { description: 'Publication of the owners.' }) status!: OwnershipComposition['status'];
  @Field(() => DecimalScalar, {
    nullable: true,
    description: 'Share of all natural persons together in percent; null if it is not known, or there are none.',
  })
  naturalPersonsShare!: string | null;
  @Field(() => Boolean, { nullable: true, description: 'True if natural persons are among the owners; null if no owners are published.' })
  hasNaturalPersons!: boolean | null;
  @Field(() => Boolean, {
    nullable: true,
    description: 'True if all shares are known and add up to 100 %, from 99.5 to 100.5; null if no owners are published.',
  })
  complete!: boolean | null;
  @Field(() => String, { description: 'A sentence on the file: it is yearly, and its date.' }) coverage!: string;
  @Field(() => String, { description: 'Code of the sentence: `coverage.ownersFile`.' }) coverageCode!: string;
}

/** Adds the sentence on the file. @param freshness age of the answer, whose date is that of the file */
export function toComposition(
  composition: OwnershipComposition,
  freshness: Pick<Freshness, 'dataAsOf'>,
  language: Language,
): OwnershipCompositionType {
  const coverage = ownersFileCoverage(freshness);
  return { ...composition, coverage: coverage.in(language), coverageCode: coverage.code };
}
