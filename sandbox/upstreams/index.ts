import type { DnsZone } from '../world/dns-zone.ts';
import { clOwnershipSimulator } from './cl-ownership.ts';
import { optionalListSimulators } from './debarment/optional.ts';
import { ceisSimulator, cnepSimulator } from './debarment/simulators.ts';
import { mailZones } from './mail-zones.ts';
import { mercadopublicoSimulator } from './mercadopublico/api.ts';
import { mercadopublicoBulkSimulator } from './mercadopublico/bulk.ts';
import { pncpSimulator } from './pncp/simulator.ts';
import { rdapSimulator } from './rdap.ts';
import { receitaFederalSimulator } from './receita-federal/minha-receita.ts';
import { openCnpjSimulator } from './receita-federal/opencnpj.ts';
import { receitaShareSimulator } from './receita-federal/share.ts';
import { ruesSimulator } from './rues/simulator.ts';
import { euConsolidatedSimulator } from './sanctions/eu.ts';
import { ofacSdnSimulator } from './sanctions/ofac.ts';
import { ofacNonSdnSimulator } from './sanctions/ofac-non-sdn.ts';
import { ukSanctionsSimulator } from './sanctions/uk.ts';
import { unConsolidatedSimulator } from './sanctions/un.ts';
import { worldBankSimulator } from './sanctions/world-bank.ts';
import { multasSecopIiSimulator, multasSecopISimulator } from './secop-fines.ts';
import { secopiiSimulator } from './secopii/simulator.ts';
import { siiSimulator } from './sii.ts';
import type { Simulator } from './simulator.ts';
import { taxDebtorsSimulator } from './tax-debtors.ts';
import { trabalhoEscravoSimulator } from './trabalho-escravo.ts';
import { siteZones, websiteSimulator } from './website.ts';

/** Every simulated upstream. */
export const simulators: readonly Simulator[] = [
  receitaFederalSimulator,
  openCnpjSimulator,
  receitaShareSimulator,
  siiSimulator,
  clOwnershipSimulator,
  ceisSimulator,
  cnepSimulator,
  ...optionalListSimulators,
  ofacSdnSimulator,
  unConsolidatedSimulator,
  ofacNonSdnSimulator,
  euConsolidatedSimulator,
  ukSanctionsSimulator,
  worldBankSimulator,
  trabalhoEscravoSimulator,
  taxDebtorsSimulator,
  rdapSimulator,
  mercadopublicoSimulator,
  mercadopublicoBulkSimulator,
  pncpSimulator,
  secopiiSimulator,
  ruesSimulator,
  multasSecopISimulator,
  multasSecopIiSimulator,
  websiteSimulator,
];

/** Zones of the simulated name server. */
export const zones: readonly DnsZone[] = [...mailZones, ...siteZones];
