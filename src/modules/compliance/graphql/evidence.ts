import { Ctx, Field, FieldResolver, ID, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Mirror, SourceName } from '../../../domain/catalogue.ts';
import type { CheckName, Completeness, RiskLevel } from '../../../domain/compliance.ts';
import { fromPublicId } from '../../../domain/public-ids.ts';
import type { ReceiptSource, SealedReceipt } from '../../../evidence/receipt.ts';
import { canonical } from '../../../evidence/seal.ts';
import { defineEnum, RegistryMirrorEnum, SourceNameEnum } from '../../../graphql/enums.ts';
import { Cost } from '../../../graphql/limits/cost.ts';
import { defineNode, NodeType } from '../../../graphql/relay.ts';
import { DateScalar, DateTimeScalar } from '../../../graphql/scalars.ts';
import { CompletenessEnum, ComplianceCheckEnum, ComplianceResultType, RiskLevelEnum } from '../graphql.ts';
import { receiptLoader } from '../loader.ts';
import { issueReceipt } from '../service/receipts.ts';

const EvidenceOutcomeEnum = defineEnum<ReceiptSource['outcome']>('EvidenceOutcome', 'The contribution of one source to a verdict.', {
  answered: 'Its answer is part of the verdict.',
  failed: 'It could not be read.',
});

@ObjectType('EvidenceSource', { description: 'The contribution of one source to a verdict.', simpleResolvers: true })
class EvidenceSourceType {
  @Field(() => ComplianceCheckEnum, { description: 'The check that read it.' }) check!: CheckName;
  @Field(() => SourceNameEnum, { description: 'The source.' }) source!: SourceName;
  @Field(() => RegistryMirrorEnum, {
    nullable: true,
    description:
      'The mirror of the tax registry that answered; null for other sources, where it failed, and in receipts of earlier versions.',
  })
  mirror!: Mirror | null;
  @Field(() => EvidenceOutcomeEnum, { description: 'ANSWERED for a source whose answer is part of the verdict.' })
  outcome!: ReceiptSource['outcome'];
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was read; null where it failed.' }) answeredAt!: number | null;
  @Field(() => DateScalar, { nullable: true, description: 'Date of the registry copy or list; null where none is stated.' })
  dataAsOf!: string | null;
  @Field(() => DateScalar, {
    nullable: true,
    description: 'Date of the version of a list; null for a live source, and where none is stated.',
  })
  listVersion!: string | null;
  @Field(() => String, { nullable: true, description: 'SHA-256 of the file of the list; null for a live source.' }) checksum!:
    | string
    | null;
  @Field(() => String, { nullable: true, description: 'SHA-256 over the canonical JSON of what the check found; null where it failed.' })
  answerDigest!: string | null;
}

@ObjectType('Evidence', {
  implements: NodeType,
  description: 'The signed receipt of a verdict, stored in the hash chain of the account. `GET /v1/evidence/{id}` returns it again.',
  simpleResolvers: true,
})
export class EvidenceType extends NodeType {
  @Field(() => ID, { description: '`evd_…`.' }) override readonly id: string;
  @Field(() => String, { description: 'Tax id of the company, normalised.' }) readonly identifier: string;
  @Field(() => RiskLevelEnum, { description: 'The risk level of the verdict.' }) readonly verdict: RiskLevel;
  @Field(() => CompletenessEnum, { description: 'Extent to which the sources answered.' }) readonly completeness: Completeness;
  @Field(() => DateTimeScalar, { description: 'When the receipt was written.' }) readonly issuedAt: number;
  @Field(() => Int, { description: 'Position in the chain of the account, from 1.' }) readonly sequence: number;
  @Field(() => String, { description: 'SHA-256 over the canonical JSON (RFC 8785) of the receipt.' }) readonly contentHash: string;
  @Field(() => String, { nullable: true, description: "`contentHash` of the account's previous receipt; null for the first." })
  readonly previousHash: string | null;
  @Field(() => String, { description: 'Ed25519 signature of the bytes of `contentHash`, base64.' }) readonly signature: string;
  @Field(() => String, { description: 'The key that signed: a `kid` of `/.well-known/quipu-evidence-keys`.' }) readonly keyId: string;
  @Field(() => [EvidenceSourceType], { description: 'Every source of every check, in the order of the checks.' })
  readonly sources: readonly EvidenceSourceType[];
  @Field(() => String, { description: 'The receipt with hash and signature as JSON text, the file that `quipu evidence verify` reads.' })
  readonly document: string;

  constructor(sealed: SealedReceipt) {
    super();
    const { receipt } = sealed;
    this.id = receipt.id;
    this.identifier = receipt.company.identifier;
    this.verdict = receipt.verdict.risk_level;
    this.completeness = receipt.verdict.completeness;
    this.issuedAt = Date.parse(receipt.issued_at);
    this.sequence = receipt.sequence;
    this.contentHash = sealed.content_hash;
    this.previousHash = receipt.previous_hash;
    this.signature = sealed.signature;
    this.keyId = sealed.key_id;
    this.sources = receipt.sources.map(toSource);
    this.document = canonical(sealed);
  }
}

const toSource = (source: ReceiptSource): EvidenceSourceType => ({
  check: source.check,
  source: source.source,
  outcome: source.outcome,
  answeredAt: source.answered_at === null ? null : Date.parse(source.answered_at),
  mirror: source.mirror ?? null,
  dataAsOf: source.data_as_of,
  listVersion: source.list_version,
  checksum: source.checksum,
  answerDigest: source.answer_digest,
});

defineNode({
  prefix: 'evd_',
  async find(id, ctx) {
    const sealed = await ctx.read(receiptLoader, { accountId: ctx.caller.accountId, id: fromPublicId('evidence', id) });
    return sealed ? new EvidenceType(sealed) : null;
  },
});

@Resolver(() => ComplianceResultType)
export class EvidenceResolver {
  @Cost(5)
  @FieldResolver(() => EvidenceType, {
    nullable: true,
    description:
      'Receipt of this verdict: signed, kept, fetchable again. Null unless requested with `receipt: true`; it counts nothing more. Null beside SERVICE_UNAVAILABLE when it cannot be written.',
  })
  async evidence(@Root() { company, forReceipt }: ComplianceResultType, @Ctx() ctx: RequestContext): Promise<EvidenceType | null> {
    if (!forReceipt) return null;
    return new EvidenceType(await issueReceipt(ctx, company, forReceipt));
  }
}
