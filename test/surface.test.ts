import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
  isScalarType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { MODULES } from '../src/domain/catalogue.ts';
import { buildSchema } from '../src/graphql/schema.ts';
import { modules, resolvers } from '../src/modules/index.ts';
import { coreRoutes } from '../src/rest/account-routes.ts';
import { examplesOf } from '../tools/examples.ts';
import { openApi } from '../tools/openapi.ts';
import { FRAGMENT } from './architecture/fragment.ts';

const root = path.resolve(import.meta.dirname, '..');
const schema = buildSchema(resolvers);
const routes = [...coreRoutes, ...modules.flatMap((module) => module.routes)];
const description = openApi(routes, examplesOf(readFileSync(path.join(root, 'docs/api-rest.md'), 'utf8')));
const types = Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith('__'));
const ROOTS = ['Query', 'Mutation', 'Subscription'];
const STANDARD_SCALARS = /^(Boolean|Float|ID|Int|String)$/;
const outputFields = types
  .filter(isObjectType)
  .flatMap((type) => Object.values(type.getFields()).map((field) => ({ ...field, path: `${type.name}.${field.name}` })))
  .sort((one, other) => one.path.localeCompare(other.path));
const fieldsOf = (name: string) => Object.values((schema.getType(name) as GraphQLObjectType).getFields());

describe('the surface', () => {
  it('is printed as committed: GraphQL', () => {
    expect(`${printSchema(lexicographicSortSchema(schema))}\n`).toBe(readFileSync(path.join(root, 'schema/schema.graphql'), 'utf8'));
  });

  it('is printed as committed: REST', () => {
    expect(`${JSON.stringify(description, null, 2)}\n`).toBe(readFileSync(path.join(root, 'schema/openapi.json'), 'utf8'));
  });

  it('describes each REST operation by a name, a tag, examples and its own errors', () => {
    const operations = Object.values(description.paths ?? {}).flatMap((path) =>
      [path.get, path.post, path.patch, path.delete].filter((one) => one !== undefined),
    );
    const tags = description.tags?.map(({ name }) => name) ?? [];
    const examplesIn = (part: unknown) => JSON.stringify(part).includes('"example":');
    const isBinary = (part: unknown) => JSON.stringify(part).includes('"format":"binary"');
    expect(operations).toHaveLength(routes.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length);
    expect(operations.filter((one) => one.tags?.length !== 1 || one.tags.some((tag) => !tags.includes(tag)))).toEqual([]);
    expect(
      operations.filter(
        ({ responses, requestBody }) =>
          !(examplesIn(responses?.['200']) || isBinary(responses?.['200'])) || (requestBody && !examplesIn(requestBody)),
      ),
    ).toEqual([]);
    expect(new Set(operations.map(({ responses }) => JSON.stringify(Object.values(responses ?? {}).slice(1)))).size).toBeGreaterThan(5);
  });

  it.each(['schema.graphql', 'openapi.json', 'asyncapi.json'])('is described by sentences and noun phrases: %s', (file) => {
    const text = readFileSync(path.join(root, 'schema', file), 'utf8');
    const described = file.endsWith('.json')
      ? [...text.matchAll(/"(?:description|summary)": "([^"]*)/g)].map(([, one = '']) => one)
      : [...text.matchAll(/"{3}\s*([\s\S]*?)"{3}/g)].map(([, one = '']) => one);
    expect(described.length).toBeGreaterThan(20);
    expect(described.filter((one) => FRAGMENT.test(one))).toEqual([]);
  });

  it('describes REST replies that may get new fields', () => {
    expect(JSON.stringify(description)).not.toContain('"additionalProperties":false');
  });

  it('names in the API description what retries need: Idempotency-Key, Retry-After, rate limits', () => {
    const { post } = description.paths?.['/v1/kyb'] ?? {};
    const { responses = {}, headers = {} } = description.components ?? {};
    expect(post?.parameters).toEqual([
      { $ref: '#/components/parameters/AcceptLanguage' },
      { $ref: '#/components/parameters/IdempotencyKey' },
    ]);
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(['RetryAfter', 'RateLimit', 'RateLimitPolicy', 'IdempotentReplayed']));
    expect(post?.responses).toMatchObject({
      429: { $ref: '#/components/responses/RateLimited' },
      409: { $ref: '#/components/responses/IdempotencyInProgress' },
    });
    for (const name of ['RateLimited', 'IdempotencyInProgress', 'ServiceUnavailable'])
      expect(responses[name]).toMatchObject({ headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } });
  });

  it('describes every type, field, argument and enum value', () => {
    const bare = types.flatMap((type) => [
      ...(type.description ? [] : [type.name]),
      ...(isEnumType(type) ? type.getValues().filter(({ description }) => !description) : []).map(({ name }) => `${type.name}.${name}`),
      ...(isObjectType(type) ? Object.values(type.getFields()) : []).flatMap((field) => [
        ...(field.description ? [] : [`${type.name}.${field.name}`]),
        ...field.args.filter(({ description }) => !description).map(({ name }) => `${type.name}.${field.name}(${name})`),
      ]),
    ]);
    expect(bare.filter((name) => !STANDARD_SCALARS.test(name))).toEqual([]);
  });

  it('has a specification for every scalar of its own', () => {
    const scalars = types.filter(isScalarType).filter(({ name }) => !STANDARD_SCALARS.test(name));
    expect(scalars.map(({ name, specifiedByURL }) => [name, Boolean(specifiedByURL)]).sort()).toEqual([
      ['Date', true],
      ['DateTime', true],
      ['Decimal', true],
      ['URL', true],
    ]);
  });

  it('states amounts of money as Decimal: only degrees of confidence and scores are Float', () => {
    expect(outputFields.filter(({ type }) => String(getNamedType(type)) === 'Float').map(({ path }) => path)).toEqual([
      'CompanySearchResult.score',
      'DomainCandidate.confidence',
      'DomainOwner.confidence',
      'OwnerCandidate.score',
      'PossibleSanctionsMatch.score',
      'ProbableIdentity.expectedOthers',
    ]);
    const amounts = outputFields.filter(({ name }) => /amount|price|uf$/i.test(name));
    expect(new Set(amounts.map(({ type }) => String(getNamedType(type))))).toEqual(new Set(['Decimal']));
  });

  it('states times as DateTime or Date, and addresses as URL', () => {
    const asPrinted = ['matchedOn', 'datesOfBirth']; // not a time; dates that lists print in part
    const times = outputFields.filter(({ name }) => /(At|On|Until|AsOf|date)$|^date|Date$/.test(name) && !asPrinted.includes(name));
    expect(times.filter(({ type }) => !/^Date(Time)?!?$/.test(String(type))).map(({ path }) => path)).toEqual([]);
    const addresses = outputFields.filter(({ name }) => /url$/i.test(name));
    expect(addresses.filter(({ type }) => String(getNamedType(type)) !== 'URL').map(({ path }) => path)).toEqual([]);
  });

  it('has an id on every object of a list that is not a part of the object around it, for caches', () => {
    const parts = [
      'BeneficialOwner',
      'Branch',
      'ChamberRegistration',
      'ChangeDay',
      'CompanySearchResult',
      'ConfirmMatchResult',
      'DeliveryAttempt',
      'DismissMatchResult',
      'DomainCandidate',
      'EvidenceSource',
      'FieldChange',
      'GraphGap',
      'GroupFinding',
      'Holding',
      'LeniencyEffect',
      'ListNotChecked',
      'ListVersion',
    ];
    const portfolio = ['PortfolioDay', 'PortfolioLevel'];
    const others = ['MailServer', 'ModuleLimit', 'ModuleUsage', 'OwnerCandidate', 'OwnershipNode', ...portfolio, 'PossibleSanctionsMatch'];
    const history = ['SourcePoint', 'Technology', 'UsageDay'];
    const more = ['RegistryTerm', 'RejectedRow', 'RiskReason', 'ScreeningResult', 'ScreeningResultGroup', ...history];
    const listed = outputFields.filter(({ type }) => isListType(getNullableType(type))).map(({ type }) => getNamedType(type));
    const withoutId = listed.filter((type) => isObjectType(type) && !type.name.endsWith('Edge') && !type.getFields().id);
    expect([...new Set(withoutId.map(({ name }) => name))].sort()).toEqual([...parts, ...others, ...more]);
    const ids = outputFields.filter(({ name }) => name === 'id');
    expect(ids.filter(({ type }) => String(type) !== 'ID!')).toEqual([]);
    expect(ids.map(({ path }) => path)).toEqual(expect.arrayContaining(['ApiKey.id', 'Evidence.id']));
  });

  it('takes null for the size of a page, as for every argument with a default', () => {
    const paged = outputFields.flatMap(({ args }) => args).filter(({ name }) => name === 'first');
    expect(new Set(paged.map(({ type, defaultValue }) => `${type} = ${defaultValue}`))).toEqual(new Set(['Int = 20']));
  });

  it('describes itself in plain words', () => {
    const texts = types.flatMap((type) => [
      [type.name, type.description],
      ...(isEnumType(type) ? type.getValues() : isObjectType(type) ? Object.values(type.getFields()) : []).map(
        ({ name, description }) => [`${type.name}.${name}`, description] as const,
      ),
    ]);
    const words = ['told', 'tells?', 'editions?', 'news', 'looked (at|for|through)', '(was|were|be) seen', 'asked for'];
    const plain = new RegExp(`\\b(${words.join('|')})\\b`, 'i');
    expect(texts.filter(([, text]) => plain.test(text ?? '')).map(([name]) => name)).toEqual([]);
  });

  it('GQ-07 ships no root field and no resolved Company field without a rule of who may read it', () => {
    const plain = ['id', 'country', 'identifier', 'formattedIdentifier', 'asOf'];
    const ruled = [...ROOTS.flatMap(fieldsOf), ...fieldsOf('Company').filter(({ name }) => !plain.includes(name))];
    const rules = ruled.flatMap(({ name, extensions: { access } }) =>
      (typeof access === 'object' && access !== null ? Object.values(access) : [access]).map((rule) => [name, rule] as const),
    );
    expect(rules.filter(([, rule]) => rule !== 'any_key' && !MODULES.some((module) => module === rule))).toEqual([]);
    expect(new Set(rules.map(([name]) => name))).toEqual(new Set(ruled.map(({ name }) => name)));
  });

  it('has one REST endpoint or more for each module, each with its module', () => {
    expect(modules.every(({ routes }) => routes.length > 0 && routes.every(({ module }) => MODULES.includes(module)))).toBe(true);
  });
});
