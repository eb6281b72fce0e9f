/** `Smith & Sons` → `Smith &amp; Sons` */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** One element on its own line; nothing where the text is empty. */
export const leaf = (name: string, text: string, indent: string): string => (text ? `${indent}<${name}>${escaped(text)}</${name}>\n` : '');

/** An element around others; nothing where there are none. */
export const branch = (name: string, children: string, indent: string): string =>
  children ? `${indent}<${name}>\n${children}${indent}</${name}>\n` : '';
