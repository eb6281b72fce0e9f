import { complianceBr } from './compliance-br/index.ts';
import { debarment } from './debarment/index.ts';
import { kyb } from './kyb/index.ts';
import { labor } from './labor/index.ts';
import type { Module } from './module.ts';
import { owners } from './owners/index.ts';
import { sanctions } from './sanctions/index.ts';

/** Everything that is served: one line a module. */
export const modules: readonly Module[] = [complianceBr, kyb, owners, debarment, sanctions, labor];
