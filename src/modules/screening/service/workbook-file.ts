import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Cell, Table } from './result-file.ts';

/*
 * A workbook is a zip of XML files (ECMA-376). Texts are inline strings: a program that opens the workbook shows them as they are and
 * computes none of them. Numbers are numbers, so that they can be sorted.
 */

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Files of every workbook with one sheet. */
const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Quipu" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${RELATIONS}"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
};

/** Maximum length of a text in a cell, in UTF-16 units. */
const MAX_CELL = 32_767;

/** Media type of a workbook. */
export const WORKBOOK = `${TYPE}.sheet`;

/** Writes a table as a workbook with one sheet, whose first row stays in view. Rows are written as fast as the reader consumes the file. */
export function workbookFile(table: Table): Readable {
  const zip = new ZipFile();
  const sheet = Readable.from(sheetOf(table), { objectMode: false });
  const content = zip.outputStream as Readable;
  zip.once('error', (error: Error) => content.destroy(error));
  content.once('close', () => sheet.destroy());
  for (const [name, text] of Object.entries(PARTS)) zip.addBuffer(Buffer.from(XML + text), name);
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml');
  zip.end();
  return content;
}

async function* sheetOf({ head, rows }: Table): AsyncGenerator<string> {
  const view = '<sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>';
  const columns = head.map((_, column) => columnName(column));
  let number = 1;
  const rowXml = (cells: readonly Cell[]): string => {
    const row = cells.map((cell, column) => cellXml(cell, `${columns[column]}${number}`)).join('');
    number += 1;
    return `<row r="${number - 1}">${row}</row>`;
  };
  yield `${XML}<worksheet xmlns="${MAIN}"><sheetViews>${view}</sheetViews><sheetData>${rowXml(head)}`;
  for await (const page of rows) yield page.map(rowXml).join('');
  yield '</sheetData></worksheet>';
}

/** Returns the name of a column: A to Z, then AA and so on. @param column counted from 0 */
function columnName(column: number): string {
  const before = column < 26 ? '' : columnName(Math.floor(column / 26) - 1);
  return before + String.fromCharCode(65 + (column % 26));
}

function cellXml(cell: Cell, place: string): string {
  if (cell === null || cell === '') return '';
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell.slice(0, MAX_CELL))}</t></is></c>`;
}

/** Characters that XML 1.0 does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are removed
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(NOT_IN_XML, '')
    .replace(/[&<>]/g, (character) => ENTITIES[character] ?? '');
