import { FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { SourceStatusType } from '../../../graphql/sources.ts';

/** Adds the number of held changes to the report of a source. */
@Resolver(() => SourceStatusType)
export class HeldChangesResolver {
  @FieldResolver(() => Int, {
    description:
      'Changes of watched companies that this source reported and that are held: values that became empty, until a second check confirms them; changes of too many companies, until an operator decides.',
  })
  heldChanges(@Root() { extras }: SourceStatusType): number {
    return extras.heldChanges ?? 0;
  }
}
