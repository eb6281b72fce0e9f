import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { FreshnessType } from '../../../graphql/check.ts';
import { connectionOf } from '../../../graphql/connection.ts';
import { SourceNameEnum } from '../../../graphql/enums.ts';
import { cacheKey } from '../../../graphql/relay.ts';
import { DateScalar, DateTimeScalar, DecimalScalar, UrlScalar } from '../../../graphql/scalars.ts';
import type { AwardedContract, Marketplace, Money, TenderNotice, TenderOrder } from '../domain.ts';

@Directive('@shareable')
@ObjectType('Money', { description: 'An amount of money, as its publisher states it.', simpleResolvers: true })
class MoneyType implements Money {
  @Field(() => DecimalScalar, { description: 'In units of the currency, not in cents.' }) amount!: number;
  @Field(() => String, { description: 'ISO 4217, e.g. CLP, BRL, COP, USD; CLF is the Chilean UF. UTM for the UTM, which has no ISO code.' })
  currency!: string;
}

@ObjectType('TenderOrder', { description: 'A purchase order or contract of a supplier.', simpleResolvers: true })
export class TenderOrderType implements TenderOrder {
  @Field(() => ID, { description: cacheKey('orders') }) id!: string;
  @Field(() => String, { description: 'Code in the marketplace, unique there.' }) code!: string;
  @Field(() => String, { description: 'The object of the purchase, in the words of the buyer.' }) name!: string;
  @Field(() => String, {
    description:
      'Status in the words of the marketplace, e.g. `Recepción Conforme`, `En ejecución`; for BR, which states none, derived from the dates.',
  })
  status!: string;
  @Field(() => MoneyType, { nullable: true, description: 'Null where the marketplace hides it or does not state it.' })
  total!: Money | null;
  @Field(() => DateScalar, { nullable: true, description: 'When it was sent or signed; null where not stated.' }) date!: string | null;
  @Field(() => String, { nullable: true, description: 'Public body that bought; null where not stated.' }) buyer!: string | null;
  @Field(() => String, { nullable: true, description: "The buyer's tax id as printed; null where not stated." }) buyerTaxId!: string | null;
  @Field(() => String, { nullable: true, description: 'Code of the tender that it follows from; null for none, or where not stated.' })
  tenderCode!: string | null;
  @Field(() => String, {
    nullable: true,
    description: "The supplier's tax id as printed; in Brazil it may be another branch's. Null where not stated.",
  })
  supplierTaxId!: string | null;
  @Field(() => UrlScalar, { nullable: true, description: 'Its public page; null where there is none.' }) url!: string | null;
}

@ObjectType('AwardedContract', { description: 'A tender of which the company won all lines or some (CL).', simpleResolvers: true })
export class AwardedContractType implements AwardedContract {
  @Field(() => ID, { description: cacheKey('contracts') }) id!: string;
  @Field(() => String, { description: 'Code of the tender.' }) code!: string;
  @Field(() => String, { description: 'Name of the tender.' }) name!: string;
  @Field(() => String, { description: 'Status in the words of the marketplace, e.g. `Adjudicada`.' }) status!: string;
  @Field(() => MoneyType, { description: 'Sum of the lines that this company won.' }) total!: Money;
  @Field(() => DateTimeScalar, {
    description: 'Time of the award, with the UTC offset of Chile; the start of the day if only the day is known.',
  })
  awardedAt!: string;
  @Field(() => String, { description: 'Public body that bought.' }) buyer!: string;
  @Field(() => String, { description: "The buyer's RUT as printed." }) buyerTaxId!: string;
}

@ObjectType('TenderNotice', { description: 'A call for tenders.', simpleResolvers: true })
export class TenderNoticeType implements TenderNotice {
  @Field(() => ID, { description: cacheKey('calls for tenders') }) id!: string;
  @Field(() => String, { description: 'Code in the marketplace, unique there.' }) code!: string;
  @Field(() => String, { description: 'Title.' }) name!: string;
  @Field(() => String, {
    nullable: true,
    description: 'The object of the purchase; null if the search of the marketplace does not return it.',
  })
  description!: string | null;
  @Field(() => String, {
    description:
      'Status in the words of the marketplace, e.g. `Publicada`. For BR `publicada` or, after the deadline for offers, `cerrada`; a call that was revoked, annulled or suspended has the word of PNCP, e.g. `Revogada`.',
  })
  status!: string;
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Deadline for offers, with the UTC offset of the country; null if not stated.',
  })
  closesAt!: string | null;
  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'Time of publication, with the UTC offset of the country; the start of the day if only the day is known; null if not stated.',
  })
  publishedAt!: string | null;
  @Field(() => MoneyType, { nullable: true, description: 'Estimated price; null where hidden or not stated.' }) estimate!: Money | null;
  @Field(() => String, { nullable: true, description: 'Public body that buys; null where not stated.' }) buyer!: string | null;
  @Field(() => String, { nullable: true, description: "The buyer's tax id as printed; null where not stated." }) buyerTaxId!: string | null;
  @Field(() => UrlScalar, { nullable: true, description: 'Its public page; null where there is none.' }) url!: string | null;
}

@ObjectType('TenderOrderConnection', { description: "A supplier's orders and contracts, newest first.", simpleResolvers: true })
export class TenderOrderConnectionType extends connectionOf('TenderOrder', TenderOrderType, 'orders') {
  @Field(() => Int, { description: 'Number of orders on all pages.' }) totalCount!: number;
  @Field(() => SourceNameEnum, { description: 'The marketplace: MERCADOPUBLICO (CL), PNCP (BR) or SECOPII (CO).' }) source!: Marketplace;
  @Field(() => String, { description: 'The data that was searched, and the data that was not.' }) coverage!: string;
  @Field(() => FreshnessType, { description: 'Age of the answer.' }) freshness!: FreshnessType;
}

@ObjectType('AwardedContractConnection', { description: 'Tenders that a company won, newest first.', simpleResolvers: true })
export class AwardedContractConnectionType extends connectionOf('AwardedContract', AwardedContractType, 'contracts') {
  @Field(() => Int, { description: 'Number of contracts on all pages.' }) totalCount!: number;
  @Field(() => SourceNameEnum, { description: 'The marketplace: MERCADOPUBLICO.' }) source!: Marketplace;
  @Field(() => String, { description: 'The data that was searched, and the data that was not.' }) coverage!: string;
  @Field(() => FreshnessType, { description: 'Age of the answer.' }) freshness!: FreshnessType;
}

@ObjectType('TenderConnection', { description: 'Calls for tenders that a search found, newest first.', simpleResolvers: true })
export class TenderConnectionType extends connectionOf('TenderNotice', TenderNoticeType, 'calls for tenders') {
  @Field(() => Int, { description: 'Number of calls for tenders on all pages, at most 500; `coverage` says if there were more.' })
  totalCount!: number;
  @Field(() => SourceNameEnum, { description: 'The marketplace: MERCADOPUBLICO (CL), PNCP (BR) or SECOPII (CO).' }) source!: Marketplace;
  @Field(() => String, {
    nullable: true,
    description: 'The data that was searched, if less than requested; null for a complete search.',
  })
  coverage!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'First day of the search; null for no limit.' }) dateFrom!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'Last day of the search; null for no limit.' }) dateTo!: string | null;
  @Field(() => FreshnessType, { description: 'Age of the answer.' }) freshness!: FreshnessType;
}
