import 'reflect-metadata'; // type-graphql asks for it when the first class is decorated
import { Extensions } from 'type-graphql';
import type { ModuleName } from '../domain/catalogue.ts';

/** Access rule of a field: any valid key, or a key with the module. */
export type AccessRule = 'any_key' | ModuleName;

/** Declares the access rule of a field in the schema. A test requires one on every root field and resolved Company field. */
export const Access = (rule: AccessRule): ReturnType<typeof Extensions> => Extensions({ access: rule });
