import { DAY_MS, HOUR_MS } from '../../../domain/time.ts';
import { americanDate, lastDay, startOfDay } from '../../world/calendar.ts';
import { fileReply, zipped } from '../publish.ts';
import type { Published, Simulator } from '../simulator.ts';
import { CSV_FILES, csvFile } from './ofac-csv.ts';
import { ofacParties } from './ofac-parties.ts';
import { sdnEntry, sdnXml } from './ofac-xml.ts';
import { unEntities, unIndividuals } from './un-parties.ts';
import { consolidatedXml, entityRecord, individualRecord } from './un-xml.ts';

/** OFAC publishes about twice a week: here on Tuesdays and Thursdays. */
const publishedOn = (now: number): number => lastDay(now, (day) => day.getUTCDay() === 2 || day.getUTCDay() === 4);

/** The host answers to browsers, and to whoever says that they are one at some length. */
const admitted = (userAgent = ''): boolean => /^Mozilla\/\d/.test(userAgent) && userAgent.length >= 40;

/**
 * OFAC's list service: `GET /{file}`, names in any case. SDN.XML, the same zipped, and the csv files beside it.
 * 403 for agents that do not look like a browser.
 */
export const ofacSdnSimulator: Simulator = {
  name: 'OFAC_SDN',
  handle({ path, headers, now }) {
    if (!admitted(headers['user-agent']))
      return { status: 403, headers: { 'content-type': 'text/html' }, body: '<html><title>403 Forbidden</title></html>' };
    const file = path.slice(1).toUpperCase();
    const edition = publishedOn(now);
    const rows = CSV_FILES[file]?.(ofacParties);
    if (rows) return fileReply('text/csv', csvOf(rows), edition);
    if (file === 'SDN.XML') return fileReply('application/xml', sdnList(edition), edition);
    if (file === 'SDN_XML.ZIP') {
      return fileReply('application/zip', { ...sdnList(edition), pack: (bytes) => zipped('SDN.XML', bytes, edition) }, edition);
    }
    return { status: 404, headers: { 'content-type': 'application/xml' }, body: '<Error><Code>NoSuchKey</Code></Error>' };
  },
};

const sdnList = (edition: number): Published => ({
  format: 'xml',
  rows: ofacParties.map(sdnEntry),
  frame: (entries) => sdnXml(americanDate(edition), entries),
  misname: (text) => text.replaceAll('sdnEntry>', 'party>'),
  charset: 'utf-8',
});

/** There is no header to misname: the first column goes. */
const csvOf = (rows: readonly string[]): Published => ({
  format: 'csv',
  rows,
  frame: csvFile,
  misname: (text) => text.replace(/^\d+,/gm, ''),
  charset: 'utf-8',
});

/** UN Security Council: `GET /consolidated.xml`, made anew every night at 23:00 UTC whether or not anything changed. */
export const unConsolidatedSimulator: Simulator = {
  name: 'UN_CONSOLIDATED',
  handle({ path, now }) {
    if (path !== '/consolidated.xml')
      return { status: 404, headers: { 'content-type': 'text/html' }, body: '<html><title>404</title></html>' };
    const generated = startOfDay(now) - DAY_MS + 23 * HOUR_MS;
    return fileReply(
      'application/xml',
      {
        format: 'xml',
        rows: [...unIndividuals.map(individualRecord), ...unEntities.map(entityRecord)],
        frame: (records) => consolidatedXml(new Date(generated).toISOString(), records),
        misname: (text) => text.replaceAll('DATAID>', 'RECORDID>'),
        charset: 'utf-8',
      },
      generated,
    );
  },
};
