import { ruesSimulator } from '../../../sandbox/upstreams/rues/simulator.ts';
import { colombianByScenario } from '../../../sandbox/world/colombia.ts';
import { PERSONS_NIT } from '../../../sandbox/world/colombian-register.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { CATEGORIES } from '../../../src/sources/rues/company.ts';
import { type NumberColumn, registrationsOf, TABLE } from '../../../src/sources/rues/row.ts';
import { rues } from '../../../src/sources/rues/rues.ts';
import { sodaParameters } from '../../../src/sources/socrata/soda.ts';
import type { Document } from '../../support/damage.ts';
import type { Judged, Subject } from '../../support/damage-oracle.ts';
import { simulated, sourceOver } from './fakes.ts';

/** Companies of the sandbox by a scenario: active, ended, of several registrations, and of none. */
const SCENARIOS = [
  ...['supplier', 'cancelled', 'law-cancelled', 'not-renewed', 'several-rows', 'moved', 'mojibake', 'foreign-branch', 'branch-left'],
  ...['never-registered', 'old-card', 'other-column', 'impossible-dates', 'company-representative', 'consortium'],
];

/** The scenario whose date of the data is damaged, too. */
const DATED = 'not-renewed';

/** An identity card that the names in a row contain, and that no answer may show. */
const CARD = '52.123.456';
const SHOWN_CARD = /52\D{0,3}123\D{0,3}456/;

/** Beginnings of words in the wrong charset, which a damage may cut before they are repaired; the last two are of a repeated name. */
const REPAIRED = ['COMPAÑÍA', 'NARIÑENSE', 'CAFÉ', 'IBÁÑEZ', 'FICTICIA', 'JOSÉIBÁÑEZ'].flatMap((word) =>
  [...word].map((_, i) => word.slice(0, i + 1)),
);

const documentAt = ({ pathname, searchParams }: URL): string => {
  if (pathname.includes('/metadata/')) return 'date';
  return searchParams.get('$where')?.includes('numero_identificacion in') ? 'numero_identificacion' : 'nit';
};

const rowsBy = (base: string, by: NumberColumn): Promise<Document> =>
  simulated(ruesSimulator, `/resource/${TABLE}.json`, {
    query: sodaParameters(registrationsOf([base], by)),
  });

/** Asks the register about one company. @throws AppError of a failed source */
async function judged(nit: string, documents: Readonly<Record<string, Document>>): Promise<Judged> {
  const source = sourceOver(rues, (url) => documents[documentAt(url)] as Document);
  const { dataAsOf, findings } = await source.companies([nit]);
  const [finding] = findings;
  if (!finding || finding instanceof AppError) throw finding;
  const { record, absence } = finding;
  if (SHOWN_CARD.test(JSON.stringify(record))) return { verdict: 'an identity card is shown', details: record };
  const verdict = record ? `${record.status}${record.isVerified ? ', verified' : ''}` : `${absence}`;
  // The number of renewals is computed from the year of the last one, which is in the details.
  return { verdict, details: { dataAsOf, ...record, renewalsMissed: null } };
}

/** The commercial register of Colombia: its answers about one company by both columns, and the date of its data. */
export async function registerOfColombia(): Promise<readonly Subject[]> {
  const date = await simulated(ruesSimulator, `/api/views/metadata/v1/${TABLE}`);
  const subject = async (name: string, nit: string, change = (text: string) => text): Promise<Subject> => {
    const [byNit, byDocument] = await Promise.all((['nit', 'numero_identificacion'] as const).map((by) => rowsBy(nit.slice(0, -1), by)));
    if (!byNit || !byDocument) throw new Error('the register has two answers');
    const isAskedTwice = byNit.text.trim() === '[]';
    const documents = { nit: { ...byNit, text: change(byNit.text) }, ...(isAskedTwice && { numero_identificacion: byDocument }) };
    const whole = { date, numero_identificacion: byDocument, ...documents };
    return {
      name: `rues, ${name}`,
      documents: name === DATED ? whole : documents,
      sparse: true,
      defaults: [...CATEGORIES, ...REPAIRED],
      decisive: /^(estado_matricula|codigo_categoria_matricula|codigo_organizacion_juridica|organizacion_juridica)$/,
      read: async (damaged) => ({ answers: { [nit]: await judged(nit, { ...whole, ...damaged }) } }),
    };
  };
  const foreign = (text: string) =>
    text.replace(/("codigo_organizacion_juridica":)"04"/g, '$1"08"').replaceAll('SOCIEDAD ANONIMA', 'SOCIEDAD EXTRANJERA');
  const active = (text: string) =>
    text.replaceAll('"CANCELADA"', '"ACTIVA"').replaceAll('"codigo_estado_matricula":"03"', '"codigo_estado_matricula":"01"');
  const withCard = (text: string) => text.replace(/"(razon_social|representante_legal|sigla)":"/g, `$&CC ${CARD} `);
  return Promise.all([
    ...SCENARIOS.map((scenario) => subject(scenario, colombianByScenario(`co-${scenario}`).nit)),
    subject('a person', PERSONS_NIT),
    subject('a branch beside its active company', colombianByScenario('co-branch-left').nit, active),
    subject('a branch of a foreign company that left', colombianByScenario('co-branch-left').nit, foreign),
    subject('an identity card in names', colombianByScenario('co-several-rows').nit, withCard),
  ]);
}
