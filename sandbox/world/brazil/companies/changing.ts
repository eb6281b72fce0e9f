import { SECOND_MS } from '../../../../src/domain/time.ts';
import { type CompanyPlan, establishment, type SandboxCompany } from '../company.ts';

/** Companies that change on a schedule. Each has its own phase, so that a monitor sees a change within 30 s. */
const plans: readonly CompanyPlan[] = [
  {
    scenario: 'living-status',
    root: '99050001',
    name: 'ABRE E FECHA RESTAURANTE LTDA',
    schedule: { everyMs: 20 * SECOND_MS, shiftMs: 0, other: { status: 3, reason: 18, statusSince: '2026-11-20' } },
    note: 'Changes every 20 s: ATIVA, SUSPENSA, ATIVA, …',
  },
  {
    scenario: 'living-size',
    root: '99050002',
    name: 'SANFONA INDUSTRIA E COMERCIO LTDA',
    schedule: { everyMs: 24 * SECOND_MS, shiftMs: 8 * SECOND_MS, other: { size: 3 } },
    note: 'Changes every 24 s: DEMAIS, EMPRESA DE PEQUENO PORTE, DEMAIS, …',
  },
  {
    scenario: 'living-activity',
    root: '99050003',
    name: 'FAZ DE TUDO UM POUCO LTDA',
    activity: '5510801',
    schedule: { everyMs: 28 * SECOND_MS, shiftMs: 15 * SECOND_MS, other: { activity: '6201501' } },
    note: 'Changes every 28 s: hotel, software house, hotel, …',
  },
  {
    scenario: 'living-all',
    root: '99050004',
    name: 'METAMORFOSE AMBULANTE LTDA',
    activity: '4771701',
    schedule: {
      everyMs: 30 * SECOND_MS,
      shiftMs: 4 * SECOND_MS,
      other: { status: 8, reason: 1, statusSince: '2026-11-20', size: 1, activity: '8520100' },
    },
    note: 'Changes every 30 s in status, size and activity at once.',
  },
];

export const changingCompanies: readonly SandboxCompany[] = plans.map(establishment);
