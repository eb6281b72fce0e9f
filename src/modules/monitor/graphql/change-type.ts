import { Field, ID, ObjectType } from 'type-graphql';
import { connectionOf } from '../../../graphql/connection.ts';
import { SourceNameEnum } from '../../../graphql/enums.ts';
import { NodeType } from '../../../graphql/relay.ts';
import { DateTimeScalar } from '../../../graphql/scalars.ts';
import { toPublicId } from '../domain/ids.ts';
import type { FieldChange } from '../domain/snapshot.ts';
import type { Change } from '../store/change-log.ts';
import { changeCursor } from './arguments.ts';
import { ChangeFieldEnum } from './enums.ts';

@ObjectType('FieldChange', { description: 'One field that is not what it was.', simpleResolvers: true })
class FieldChangeType implements FieldChange {
  @Field(() => ChangeFieldEnum, { description: 'The field.' }) field!: FieldChange['field'];
  @Field(() => String, { nullable: true, description: 'What it was; null where nothing was known.' }) from!: string | null;
  @Field(() => String, { nullable: true, description: 'What it is; null where nothing is known any more.' }) to!: string | null;
  @Field(() => SourceNameEnum, { nullable: true, description: 'The list that names the company; null for status, size and activity.' })
  list?: FieldChange['list'];
}

@ObjectType('Change', {
  implements: NodeType,
  description: 'One event: what changed of one company, as one monitor is told it. The same id on every transport.',
  simpleResolvers: true,
})
export class ChangeType extends NodeType {
  @Field(() => ID, { description: 'The `webhook-id` of its delivery, `evt_…`.' }) override readonly id: string;
  @Field(() => String, {
    description: 'Opaque, totally ordered; pass it as `after` to resume a subscription, or to go on with `changes`, without a gap.',
  })
  readonly cursor: string;
  @Field(() => String, { description: "The company's tax id as the monitor's maker wrote it." }) readonly identifier: string;
  @Field(() => SourceNameEnum, { description: 'The registry or list that said so.' }) readonly source: Change['source'];
  @Field(() => [FieldChangeType], { description: 'What changed, at least one field.' })
  readonly changedFields: readonly FieldChangeType[];
  @Field(() => DateTimeScalar, { description: 'When it was found.' }) readonly detectedAt: number;
  /** The row behind it. */
  readonly change: Change;

  constructor(change: Change) {
    super();
    this.change = change;
    this.id = toPublicId('change', change.id);
    this.cursor = changeCursor(change.position);
    this.identifier = change.identifier;
    this.source = change.source;
    this.changedFields = change.fields;
    this.detectedAt = change.detectedAt;
  }
}

@ObjectType('ChangeConnection', { description: 'Changes in the order that the field states.', simpleResolvers: true })
export class ChangeConnectionType extends connectionOf('Change', ChangeType, 'changes') {}
