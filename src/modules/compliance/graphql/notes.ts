import { Arg, Args, Ctx, Field, FieldResolver, ID, InputType, Mutation, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { COMPLIANCE_MODULE_OF } from '../../../domain/catalogue.ts';
import type { Country } from '../../../domain/company.ts';
import { parseTimeCursor, toTimeCursor } from '../../../domain/paging.ts';
import { fromPublicId, toPublicId } from '../../../domain/public-ids.ts';
import { Access } from '../../../graphql/access.ts';
import { CompanyType, parseCompany } from '../../../graphql/company.ts';
import { connect, connectionOf, PageArgs, pageRequestOf } from '../../../graphql/connection.ts';
import { CountryEnum } from '../../../graphql/enums.ts';
import { defineNode, NodeType } from '../../../graphql/relay.ts';
import { DateTimeScalar } from '../../../graphql/scalars.ts';
import { MAX_NOTE, MAX_NOTES, type Note } from '../domain/note.ts';
import { noteLoader, notesLoaders } from '../loaders/notes.ts';
import { noteService, WRITE_NOTE } from '../service/notes.ts';

@ObjectType('CompanyNote', {
  implements: NodeType,
  description: 'A text of a person of the account about a company. It changes no check and no risk level.',
  simpleResolvers: true,
})
class CompanyNoteType extends NodeType {
  @Field(() => ID, { description: '`nte_…`.' }) override readonly id: string;
  @Field(() => CompanyType, { description: 'The company.' }) readonly company: CompanyType;
  @Field(() => String, { description: 'The text; each CPF in it is masked.' }) readonly text: string;
  @Field(() => ID, { description: 'Id of the API key that wrote it.' }) readonly writtenBy: string;
  @Field(() => String, { description: 'Name of that API key when it wrote the note.' }) readonly writtenByName: string;
  @Field(() => DateTimeScalar, { description: 'When it was written.' }) readonly writtenAt: number;

  constructor(note: Note) {
    super();
    this.id = toPublicId('note', note.id);
    this.company = new CompanyType(note.company);
    this.text = note.text;
    this.writtenBy = note.keyId;
    this.writtenByName = note.keyName;
    this.writtenAt = note.writtenAt;
  }
}

defineNode({
  prefix: 'nte_',
  async find(id, ctx) {
    const uuid = fromPublicId('note', id);
    const note = uuid && (await ctx.read(noteLoader, { accountId: ctx.caller.accountId, id: uuid }));
    return note ? new CompanyNoteType(note) : null;
  },
});

@ObjectType('CompanyNoteConnection', { description: 'Notes of the account about a company, newest first.', simpleResolvers: true })
class CompanyNoteConnectionType extends connectionOf('CompanyNote', CompanyNoteType, 'notes') {}

@InputType('AddCompanyNoteInput', { description: 'A note about a company.' })
class AddCompanyNoteInput {
  @Field(() => String, { description: 'Tax id of the company, with or without punctuation.' }) identifier!: string;
  @Field(() => CountryEnum, { nullable: true, description: 'Detected from the form of the tax id when omitted.' }) country?: Country | null;
  @Field(() => String, { description: `The text: 1 to ${MAX_NOTE} characters. Each CPF in it is masked before it is stored.` })
  text!: string;
}

@InputType('DeleteCompanyNoteInput', { description: 'The note to delete.' })
class DeleteCompanyNoteInput {
  @Field(() => ID, { description: '`nte_…`.' }) id!: string;
}

@ObjectType('AddCompanyNotePayload', { description: 'A note that was written.', simpleResolvers: true })
class AddCompanyNotePayload {
  @Field(() => CompanyNoteType, { description: 'The note.' }) note!: CompanyNoteType;
}

@ObjectType('DeleteCompanyNotePayload', { description: 'A note that was deleted.', simpleResolvers: true })
class DeleteCompanyNotePayload {
  @Field(() => CompanyNoteType, { description: 'The note, which is deleted.' }) note!: CompanyNoteType;
}

const MODULE = 'Module compliance_br for BR, compliance for CL and CO.';

@Resolver(() => CompanyType)
export class NotesResolver {
  @Access(COMPLIANCE_MODULE_OF)
  @FieldResolver(() => CompanyNoteConnectionType, {
    nullable: true,
    description: `Notes of the account about the company, newest first. ${MODULE} They count nothing. Null beside an error: MODULE_NOT_ENABLED or INVALID_INPUT.`,
  })
  async notes(
    @Root() { country, taxId }: CompanyType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<CompanyNoteConnectionType> {
    const request = pageRequestOf(page, (cursor) => parseTimeCursor('note', cursor));
    const loader = notesLoaders[COMPLIANCE_MODULE_OF[country]];
    const { items, hasMore } = await ctx.read(loader, { accountId: ctx.caller.accountId, country, taxId, ...request });
    const nodeOf = (note: Note) => new CompanyNoteType(note);
    const cursorOf = ({ writtenAt, id }: Note) => toTimeCursor('note', { createdAt: writtenAt, id });
    return connect(items, { hasMore, after: page.after, nodeOf, cursorOf });
  }

  @Access('any_key', 'decide') // the module depends on the country of the company, so the service checks it
  @Mutation(() => AddCompanyNotePayload, {
    nullable: true,
    description: `Writes a note about a company, which all keys of the account with the module can read. ${MODULE} It counts nothing. Null beside an error: MODULE_NOT_ENABLED, ROLE_NOT_ALLOWED, INVALID_INPUT, PLAN_LIMIT_REACHED after ${MAX_NOTES.toLocaleString('en')} of the account, or RATE_LIMITED after 120 in a minute.`,
  })
  async addCompanyNote(
    @Arg('input', () => AddCompanyNoteInput, { description: 'Company and text.' }) input: AddCompanyNoteInput,
    @Ctx() ctx: RequestContext,
  ): Promise<AddCompanyNotePayload> {
    const company = parseCompany(input.identifier, input.country ?? null);
    const notes = ctx.open(noteService);
    await ctx.limitAction(WRITE_NOTE);
    return { note: new CompanyNoteType(await notes.add(ctx.caller, company, input.text)) };
  }

  @Access('any_key', 'decide') // the service needs one of two modules
  @Mutation(() => DeleteCompanyNotePayload, {
    nullable: true,
    description:
      'Deletes a note of the account. Module compliance_br or compliance. Null beside an error: MODULE_NOT_ENABLED, ROLE_NOT_ALLOWED, NOTE_NOT_FOUND, or RATE_LIMITED after 120 in a minute.',
  })
  async deleteCompanyNote(
    @Arg('input', () => DeleteCompanyNoteInput, { description: 'Id of the note.' }) { id }: DeleteCompanyNoteInput,
    @Ctx() ctx: RequestContext,
  ): Promise<DeleteCompanyNotePayload> {
    const notes = ctx.open(noteService);
    await ctx.limitAction(WRITE_NOTE);
    return { note: new CompanyNoteType(await notes.delete(ctx.caller, id)) };
  }
}
