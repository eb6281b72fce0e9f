import { saveFile } from '../../api/download.ts';

/** Saves CSV as a file of the browser's downloads. */
export const saveCsv = (csv: string, name: string): void => saveFile(new Blob([csv], { type: 'text/csv;charset=utf-8' }), name);
