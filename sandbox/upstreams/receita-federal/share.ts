import { DAY_MS, isoDate } from '../../../src/domain/time.ts';
import { asOfLastMonth, isInMonths } from '../../world/brazil/last-month.ts';
import { companies } from '../../world/brazil/world.ts';
import { lastDay } from '../../world/calendar.ts';
import type { MutableWorld } from '../../world/mutable-world.ts';
import { encode, type SimulatedReply, type SimulatedRequest, type Simulator, zipped } from '../simulator.ts';
import { monthTexts } from './share-rows.ts';

/**
 * The public share of the registry's files: `PROPFIND /public.php/webdav/…` lists a folder, and `GET /public.php/dav/files/TOKEN/…` returns
 * a file or a part of it. It has the folders of two months, between which some companies changed. It lacks the companies that change on a
 * schedule, as if they were newer than the months, so that the mirrors answer for them. The token is `sandbox`.
 */
export const receitaShareSimulator: Simulator = {
  name: 'receita_share',
  async handle(request) {
    const { method, path } = request;
    const listed = path.startsWith(LISTING) ? path.slice(LISTING.length) : null;
    if (listed !== null && method === 'PROPFIND') return list(listed.replaceAll('/', ''), request);
    const [, month = '', name = ''] = /^\/public\.php\/dav\/files\/sandbox\/([\d-]+)\/(\w+)\.zip$/.exec(path) ?? [];
    const file = method === 'GET' ? (await filesOf(month, request))?.get(name) : undefined;
    return file ? part(file, request) : { status: 404, headers: XML, body: '<?xml version="1.0"?><d:error xmlns:d="DAV:"/>' };
  },
};

const LISTING = '/public.php/webdav';
const XML = { 'content-type': 'application/xml; charset=utf-8' };
const EXTRACTED_ON = 14;

/** Returns the extract dates of the two months, in epoch ms, by folder. The folder of a month has the extract of the middle of the month. */
function extracts(now: number): ReadonlyMap<string, number> {
  const newest = lastDay(now, (day) => day.getUTCDate() === EXTRACTED_ON);
  const before = lastDay(newest - DAY_MS, (day) => day.getUTCDate() === EXTRACTED_ON);
  return new Map([before, newest].map((at) => [isoDate(at).slice(0, 7), at]));
}

/** Names in the zips, which follow no rule but that the date of the extract is in them. */
const MEMBERS: Readonly<Record<string, (date: string, number: string) => string>> = {
  Empresas: (date, number) => `K3241.K03200Y${number}.${date}.EMPRECSV`,
  Estabelecimentos: (date, number) => `K3241.K03200Y${number}.${date}.ESTABELE`,
  Socios: (date, number) => `K3241.K03200Y${number}.${date}.SOCIOCSV`,
  Simples: (date) => `F.K03200$W.SIMPLES.CSV.${date}`,
};

async function filesOf(month: string, { now, world }: Pick<SimulatedRequest, 'now' | 'world'>) {
  const months = extracts(now);
  const at = months.get(month);
  return at === undefined ? null : zips(at, world, { isNewest: [...months.keys()].at(-1) === month });
}

async function zips(at: number, world: MutableWorld, { isNewest }: { readonly isNewest: boolean }): Promise<ReadonlyMap<string, Buffer>> {
  const current = companies.flatMap(({ cnpj }) => world.company(cnpj, at) ?? []).filter(isInMonths);
  const known = isNewest ? current : current.flatMap((company) => asOfLastMonth(company) ?? []);
  const date = `D${isoDate(at).slice(3).replaceAll('-', '')}`;
  const files = [...monthTexts(known)].map(async ([name, text]) => {
    const [kind = '', number = ''] = name.split(/(?=\d)/);
    const member = MEMBERS[kind]?.(date, number) ?? `F.K03200$Z.${date}.${kind.toUpperCase().slice(0, 4)}CSV`;
    return [name, await zipped(member, encode(text, 'windows-1252'), at)] as const;
  });
  return new Map(await Promise.all(files));
}

async function list(month: string, request: SimulatedRequest): Promise<SimulatedReply> {
  const files = month === '' ? null : await filesOf(month, request);
  if (month !== '' && files === null) return { status: 404, headers: XML, body: '<?xml version="1.0"?><d:error xmlns:d="DAV:"/>' };
  const folder = (name: string): string =>
    `<d:response><d:href>/receita_share${LISTING}/${name}</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
  const file = ([name, bytes]: readonly [string, Buffer]): string =>
    `<d:response><d:href>/receita_share${LISTING}/${month}/${name}.zip</d:href><d:propstat><d:prop><d:getcontentlength>${bytes.length}</d:getcontentlength><d:resourcetype/></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
  const own = folder(month === '' ? '' : `${month}/`);
  const inside = files ? [...files].map(file) : [...extracts(request.now).keys()].map((name) => folder(`${name}/`));
  return {
    status: 207,
    headers: XML,
    body: `<?xml version="1.0"?>\n<d:multistatus xmlns:d="DAV:">${own}${inside.join('')}</d:multistatus>`,
  };
}

function part(bytes: Buffer, { headers }: SimulatedRequest): SimulatedReply {
  const type = { 'content-type': 'application/zip', 'accept-ranges': 'bytes' };
  const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  if (start === 0) return { status: 200, headers: type, body: bytes };
  if (start >= bytes.length) return { status: 416, headers: { 'content-range': `bytes */${bytes.length}` }, body: '' };
  const range = { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
  return { status: 206, headers: { ...type, ...range }, body: bytes.subarray(start) };
}
