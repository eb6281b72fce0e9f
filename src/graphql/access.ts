import 'reflect-metadata'; // type-graphql asks for it when the first class is decorated
import { Extensions } from 'type-graphql';
import type { ModuleName } from '../domain/modules.ts';

/** Who may read a field: any key that opens, or a key with the module. */
export type AccessRule = 'any_key' | ModuleName;

/** States a field's rule in the schema, where a test compares it with what the gate does. A root or Company field without one does not ship. */
export const Access = (rule: AccessRule): ReturnType<typeof Extensions> => Extensions({ access: rule });
