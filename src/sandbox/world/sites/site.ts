import type { DnsRecord } from '../dns-zone.ts';

/** What a made-up site answers at one path. Text goes out as UTF-8 HTML unless told otherwise. */
export interface SandboxPage {
  /** The page as text. */
  readonly html?: string;
  /** In place of `html`: bytes as they are, e.g. a picture. */
  readonly body?: Buffer;
  /** 200 where left out. */
  readonly status?: number;
  /** Beside `content-type`, which they may replace. A list for a header that comes several times. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** In which the text is encoded and which the header declares. */
  readonly charset?: 'utf-8' | 'windows-1252';
}

/** A website of the made-up world: served on loopback under its own name, with `www.` or without. */
export interface SandboxSite {
  /** Registrable domain, A-labels. */
  readonly domain: string;
  /** One sentence: what a visit meets. */
  readonly note: string;
  /** By path, e.g. `/`, `/contacto`, `/robots.txt`; any other is the site's 404. */
  readonly pages: Readonly<Record<string, SandboxPage>>;
  /** Records beside its addresses, e.g. MX and TXT. */
  readonly records?: readonly DnsRecord[];
}

/** A whole page around a body. */
export const page = (title: string, body: string, head = ''): string =>
  `<!doctype html>\n<html lang="es">\n<head>\n<title>${title}</title>\n${head}</head>\n<body>\n${body}\n</body>\n</html>\n`;
