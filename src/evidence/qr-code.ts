import qrcode from 'qrcode-generator';

/**
 * Encodes a text as a QR code (ISO/IEC 18004) of the smallest size that holds it, with error correction M.
 * @returns the rows of modules, each a text of `1` (dark) and `0`
 */
export function qrCode(text: string): readonly string[] {
  const code = qrcode(0, 'M');
  code.addData(text, 'Byte');
  code.make();
  const places = Array.from({ length: code.getModuleCount() }, (_, place) => place);
  return places.map((row) => places.map((column) => (code.isDark(row, column) ? '1' : '0')).join(''));
}
