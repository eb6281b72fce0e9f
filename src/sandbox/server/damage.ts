import { bytesOf } from '../upstreams/publish.ts';
import type { Published, SimulatedReply } from '../upstreams/simulator.ts';
import type { FaultMode } from './faults.ts';

/** Share of the rows that stays in a shrunk list. */
const KEPT = 0.1;

type Damage = (document: Published) => { readonly text?: string; readonly charset?: Published['charset'] };

const whole = ({ frame, rows }: Published): string => frame(rows);

/** Modes that change what a document says and leave its framing, packing and headers alone. */
const DAMAGES = {
  malformed: (document) => ({ text: BREAK[document.format](whole(document)) }),
  wrong_shape: ({ format }) => ({ text: OTHER_SHAPE[format] }),
  wrong_columns: (document) => ({ text: document.misname(whole(document)) }),
  shrunk: ({ frame, rows }) => ({ text: frame(rows.slice(0, Math.ceil(rows.length * KEPT))) }),
  wrong_charset: ({ charset }) => ({ charset: charset === 'utf-8' ? 'windows-1252' : 'utf-8' }),
} as const satisfies Partial<Record<FaultMode, Damage>>;

const BREAK: Readonly<Record<Published['format'], (text: string) => string>> = {
  json: (text) => text.replace(':', ' '),
  csv: (text) => replaceAfterMiddle(text, '\n', '\n"'),
  xml: (text) => replaceAfterMiddle(text, '</', '</un'),
  html: (text) => replaceAfterMiddle(text, '</', '<!--'),
};

const OTHER_SHAPE: Readonly<Record<Published['format'], string>> = {
  json: '{}',
  csv: '"id";"nome"\r\n"1";"outra tabela"\r\n',
  xml: '<?xml version="1.0"?>\n<status><message>ok</message></status>\n',
  html: '<!doctype html><html><head><title>Dominio en venta</title></head><body>Compre este dominio</body></html>\n',
};

function replaceAfterMiddle(text: string, what: string, by: string): string {
  const place = text.indexOf(what, Math.floor(text.length / 2));
  return place === -1 ? text + by : text.slice(0, place) + by + text.slice(place + what.length);
}

/** The body of a reply as sent: damaged where the mode says so and the body is a document, else as it is. */
export function bodyOf(reply: SimulatedReply, mode?: FaultMode): Promise<Buffer> {
  const { body } = reply;
  const damage: Damage | undefined = mode && mode in DAMAGES ? DAMAGES[mode as keyof typeof DAMAGES] : undefined;
  if (!damage || typeof body === 'string' || Buffer.isBuffer(body)) return bytesOf(body);
  const { text, charset } = damage(body);
  return bytesOf(body, text, charset);
}
