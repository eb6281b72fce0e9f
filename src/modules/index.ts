import { companyNameResolver } from '../graphql/company-name.ts';
import { webhooks } from '../webhooks/index.ts';
import { compliance, complianceBr } from './compliance/index.ts';
import { debarment } from './debarment/index.ts';
import { enrich } from './enrich/index.ts';
import { kyb } from './kyb/index.ts';
import { labor } from './labor/index.ts';
import type { Module, Part } from './module.ts';
import { monitor } from './monitor/index.ts';
import { owners } from './owners/index.ts';
import { sanctions } from './sanctions/index.ts';
import { screening } from './screening/index.ts';
import { taxHealth } from './tax-health/index.ts';
import { tech } from './tech/index.ts';
import { tenders } from './tenders/index.ts';
import { validate } from './validate/index.ts';

/** All modules, in the order of the docs. It is also the order in which sources of `Company.name` are preferred: kyb before owners. */
export const modules: readonly Module[] = [
  complianceBr,
  compliance,
  enrich,
  kyb,
  owners,
  debarment,
  sanctions,
  labor,
  taxHealth,
  tech,
  tenders,
  validate,
  monitor,
  screening,
];

/** The GraphQL resolver classes of all modules. */
export const resolvers: Module['resolvers'] = [
  companyNameResolver(modules.flatMap(({ companyName }) => companyName ?? [])),
  ...modules.flatMap((module) => module.resolvers),
];

/**
 * All parts with services, jobs, gauges or data of accounts. The engines that modules share come first, because their rows refer to rows of
 * the modules.
 */
export const parts: readonly Part[] = [webhooks, ...modules];
