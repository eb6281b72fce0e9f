import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  parse,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cnpjOf } from '../../sandbox/world/brazil/company.ts';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../../sandbox/world/colombia.ts';
import { buildSchema } from '../../src/graphql/schema.ts';
import { resolvers } from '../../src/modules/index.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { loadSandboxMonths } from '../support/registry-copy.ts';

const FILE = path.resolve(import.meta.dirname, '../../schema/operations/everything.graphql');
const PARTS = ['graphs', 'records', 'contracts'].map((part) =>
  path.resolve(import.meta.dirname, `../../schema/operations/everything-${part}.graphql`),
);
const document = parse(readFileSync(FILE, 'utf8'));
const parts = PARTS.map((file) => parse(readFileSync(file, 'utf8')));

/** An operation as Apollo Client and urql send it: with __typename in every selection of objects. */
const withTypes = (operation: DocumentNode): string =>
  print(
    visit(operation, {
      SelectionSet: (node, _key, parent) =>
        parent && 'kind' in parent && parent.kind === Kind.OPERATION_DEFINITION
          ? undefined
          : { ...node, selections: [...node.selections, { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }] },
    }),
  );
const asSent = withTypes(document);

/** `Type.field` of every field that the operations select. */
function selectedFields(schema: GraphQLSchema): Set<string> {
  const info = new TypeInfo(schema);
  const selected = new Set<string>();
  const enter = () => void selected.add(`${info.getParentType()?.name}.${info.getFieldDef()?.name}`);
  for (const operation of [document, ...parts]) visit(operation, visitWithTypeInfo(info, { Field: { enter } }));
  return selected;
}

/** Types whose fields are reached from a company, without other companies and the edges of connections, which repeat their nodes. */
function typesOf(type: GraphQLNamedType, found = new Set<GraphQLNamedType>()): Set<GraphQLNamedType> {
  if (!isObjectType(type) || found.has(type) || /Edge$/.test(type.name)) return found;
  found.add(type);
  // Monitors and deliveries are not data about the company.
  if (!/^(Monitor|Delivery)$/.test(type.name))
    for (const field of Object.values(type.getFields())) typesOf(getNamedType(field.type), found);
  return found;
}

/** Collects every object with an id. @throws where one type and id has two contents */
function collect(value: unknown, objects: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const part of Object.values(value)) collect(part, objects);
  if (!('id' in value) || !('__typename' in value)) return;
  const fields = Object.fromEntries(Object.entries(value).filter(([, field]) => typeof field !== 'object' || field === null));
  if (Object.keys(fields).length < 3) return; // a reference
  const key = `${value.__typename} ${value.id}`;
  const known = objects.get(key);
  if (known !== undefined) expect([key, JSON.parse(known)]).toEqual([key, fields]);
  objects.set(key, JSON.stringify(fields));
}

describe('the operation "everything"', () => {
  it('selects every field about a company', () => {
    const schema = buildSchema(resolvers);
    const selected = selectedFields(schema);
    const company = schema.getType('Company');
    const fields = [...(company ? typesOf(company) : [])]
      .filter(({ name }) => !/^(Monitor|Delivery)$/.test(name))
      .flatMap((type) => (isObjectType(type) ? Object.keys(type.getFields()).map((field) => `${type.name}.${field}`) : []))
      .filter((field) => !/Connection\.edges$/.test(field));
    expect(fields.length).toBeGreaterThan(150);
    expect(fields.filter((field) => !selected.has(field))).toEqual([]);
  });

  describe('runs', () => {
    let app: TestApp;
    beforeAll(async () => {
      const env = { QUIPU_TENDERS_MONTHS: '4', QUIPU_RECEITA_MODE: 'copy-then-live' }; // at the beginning of a month, two have no award of the supplier
      app = await testApp({ env });
      await loadSandboxMonths(app);
    }, 120_000);
    afterAll(() => app.close());

    it.each([
      ['BR', companyByScenario('debarred-ceis').cnpj],
      ['CL', chileanByScenario('cl-supplier').rut],
      ['CO', colombianByScenario('co-supplier').nit],
    ])('without an error, as clients send it, for a company of %s', async (country, identifier) => {
      const { status, body } = await app.query(asSent, { identifier, country });
      expect([status, body.errors]).toEqual([200, undefined]);
      expect(body.data.company).toMatchObject({ __typename: 'Company', country });
      for (const part of parts) {
        const answer = await app.query(withTypes(part), { identifier, country });
        expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
      }
    });

    it('with ids that caches can use: objects of one type and id are equal, also for two branches of a company', async () => {
      const scenarios = ['debarred-root', 'debarred-root-branch', 'labor-root', 'sanctioned-root', 'sanctioned', 'clean-software'];
      const brazilian = scenarios.map((scenario) => companyByScenario(scenario).cnpj);
      const identifiers = [
        ...brazilian,
        ...brazilian.map((cnpj) => cnpjOf(cnpj.slice(0, 8), '0009')),
        chileanByScenario('cl-supplier').rut,
      ];
      const types = new Set<string | undefined>();
      for (const query of [asSent, ...parts.map(withTypes)]) {
        const objects = new Map<string, string>();
        for (const identifier of identifiers) collect((await app.query(query, { identifier })).body.data.company, objects);
        for (const key of objects.keys()) types.add(key.split(' ')[0]);
      }
      expect([...types]).toEqual(
        expect.arrayContaining(['AwardedContract', 'DebarmentRecord', 'LaborRecord', 'Owner', 'SanctionsMatch', 'TenderOrder']),
      );
    });
  });
});
