import { formatCnpj, readCnpj } from '../../../domain/cnpj.ts';
import { isProblem, strip } from '../../../domain/tax-id.ts';
import { jsonReply } from '../publish.ts';
import type { SimulatedReply, Simulator } from '../simulator.ts';
import { minhaReceitaJson } from './minha-receita-json.ts';
import { openCnpjJson } from './opencnpj-json.ts';

/**
 * minha-receita: `GET /{cnpj}`, masked or not. Check digits are verified; an unknown company, and one that only OpenCNPJ
 * knows, are the same 404. It refuses what Node calls itself by default.
 */
export const receitaFederalSimulator: Simulator = {
  name: 'receita_federal',
  handle({ method, path, headers, now, world }) {
    if (headers['user-agent'] === 'node')
      return { status: 403, headers: { 'content-type': 'text/html' }, body: '<html><title>403 Forbidden</title></html>' };
    if (method !== 'GET') return message(405, 'Essa URL aceita apenas o método GET.');
    const text = path.slice(1);
    const cnpj = readCnpj(text);
    if (isProblem(cnpj)) return message(400, `CNPJ ${masked(text)} inválido.`);
    const company = world.company(cnpj, now);
    if (company?.knownTo !== 'both') return message(404, `CNPJ ${formatCnpj(cnpj)} não encontrado.`);
    return jsonReply(200, minhaReceitaJson(company), 'situacao_cadastral', { 'cache-control': 'max-age=86400' });
  },
};

/** OpenCNPJ: the same companies from a dump of its own. Wrong check digits are a 404 here. */
export const openCnpjSimulator: Simulator = {
  name: 'opencnpj',
  handle({ path, now, world }) {
    const bare = strip(path);
    if (!/^[0-9A-Z]{12}\d{2}$/.test(bare)) return jsonReply(400, { error: 'invalid cnpj' }, 'error');
    const company = world.company(bare, now);
    if (!company || company.knownTo === 'none') return jsonReply(404, { error: 'not found' }, 'error');
    return jsonReply(200, openCnpjJson(company), 'situacao_cadastral');
  },
};

const message = (status: number, text: string): SimulatedReply => jsonReply(status, { message: text }, 'message');

/** Masked where it has the length of a CNPJ, else as it came. */
function masked(text: string): string {
  const bare = strip(text);
  return bare.length === 14 ? formatCnpj(bare) : text;
}
