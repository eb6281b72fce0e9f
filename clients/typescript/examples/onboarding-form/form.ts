/** Checks a Brazilian supplier. The page has no key; the server that serves it adds one (vite.config.ts). */
import { createClient, QuipuError, type Reply } from '@quipu/client';

const quipu = createClient({ url: '/quipu' });

const find = (id: string): HTMLElement => {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element;
};

/** Decides about a supplier. A low risk of a check that is not complete is not a clean result. */
function decide({ risk_level, completeness }: Reply<'POST /v1/compliance-br'>): string {
  if (risk_level === 'low' && completeness === 'complete') return 'Accepted.';
  return risk_level === 'high' ? 'Refused: see the reasons.' : 'A person reviews this supplier.';
}

function explain(error: unknown): string {
  if (!(error instanceof QuipuError)) return 'Something went wrong.';
  if (error.code === 'INVALID_INPUT') return error.message;
  const when = error.retryAfter ? `in ${error.retryAfter} seconds` : 'in a moment';
  return `The check is not available. Try again ${when}. (${error.requestId ?? error.code})`;
}

function show(name: string, decision: string, reasons: readonly string[]): void {
  find('name').textContent = name;
  find('decision').textContent = decision;
  find('reasons').replaceChildren(...reasons.map((reason) => Object.assign(document.createElement('li'), { textContent: reason })));
}

document.querySelector('form')?.addEventListener('submit', async (submitted) => {
  submitted.preventDefault();
  const cnpj = String(new FormData(submitted.currentTarget as HTMLFormElement).get('cnpj'));
  show('', '', []);
  find('problem').textContent = '';
  try {
    const reply = await quipu.rest('POST /v1/compliance-br', { body: { cnpj } });
    show(reply.company_name, decide(reply), [...reply.risk_reasons, ...reply.sources_failed.map((source) => `${source} did not answer`)]);
  } catch (error) {
    find('problem').textContent = explain(error);
  }
});
