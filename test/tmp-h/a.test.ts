import { afterAll, beforeAll, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { buildSchema } from '../../src/graphql/schema.ts';
import { modules } from '../../src/modules/index.ts';
import { priceOf } from '../../src/graphql/limits/price.ts';
import { isCompositeType, getNamedType } from 'graphql';
let app: TestApp;
beforeAll(async () => { app = await testApp({ listsTried: false }); });
afterAll(() => app.close());
it('x', async () => {
  const f = buildSchema(modules.flatMap((m) => m.resolvers)).getQueryType()!.getFields()['company']!;
  console.log(f.extensions, f.resolve, priceOf(f), isCompositeType(getNamedType(f.type)));
  console.log(JSON.stringify(await app.query('{ company(identifier: "11222333000181") { identifier kyb { status } } }')));
  console.log(JSON.stringify(app.lines.filter((l) => Number(l.level) >= 40)));
});
