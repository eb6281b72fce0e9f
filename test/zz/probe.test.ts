import { afterAll, beforeAll, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { parseDomain } from '../../src/sources/domains/domain.ts';
import { parseSite } from '../../src/modules/tech/loader.ts';
import { type TestApp, testApp } from '../support/app.ts';
let app: TestApp;
beforeAll(async () => { app = await testApp(); });
afterAll(() => app.close());
const CNPJ = companyByScenario('clean').cnpj;
const show = (x: unknown) => process.stdout.write(`${typeof x === 'string' ? x : JSON.stringify(x)}\n`);
it('rest nulls', async () => {
  for (const [path, body] of [
    ['/v1/kyb', { identifier: CNPJ, country: 'br' }], ['/v1/kyb', { identifier: CNPJ, country: null }], ['/v1/kyb', { identifier: CNPJ }], ['/v1/kyb', { identifier: `CNPJ nº ${CNPJ}`, country: ' BR ' }],
    ['/v1/kyb', { identifier: `${CNPJ[0]}.${CNPJ.slice(1)}e13`, country: 'BR' }],
    ['/v1/owners', { identifier: CNPJ, country: 'BR', as_of: null }],
    ['/v1/compliance-br', { cnpj: CNPJ, receipt: null }], ['/v1/compliance-br', { cnpj: CNPJ, receipt: 'True' }], ['/v1/compliance-br', { cnpj: null }], ['/v1/compliance-br', {}], ['/v1/compliance-br', { identifier: CNPJ }],
    ['/v1/debarment', { identifier: CNPJ, country: 'BR', include: null }], ['/v1/debarment', { identifier: CNPJ, country: 'BR', include: 'CEPIM' }],
    ['/v1/sanctions', { identifier: CNPJ, country: 'BR', lists: null, include_dismissed: null }], ['/v1/sanctions', { identifier: CNPJ, country: 'BR', lists: [] }],
    ['/v1/screenings', { country: 'BR', identifiers: [CNPJ], name: null }], ['/v1/screenings', { country: null, identifiers: [CNPJ] }], ['/v1/screenings', { country: 'BR', identifiers: CNPJ }], ['/v1/screenings', { country: 'BR', identifiers: `["${CNPJ}"]` }],
    ['/v1/tenders/search', { country: 'BR', keyword: null, page: null }], ['/v1/tenders', { identifier: CNPJ, country: 'BR', page: null }],
    ['/v1/validate/email', { email: null }], ['/v1/validate/email', { email: 5 }], ['/v1/tech', { url: null }], ['/v1/search', { name: 'a', country: 'CL', filter: null }],
    ['/v1/enrich', { identifier: CNPJ, domain: null }],['/v1/monitor/subscriptions', { country: 'BR', identifiers: [CNPJ], webhook_url: 'http://127.0.0.1:9/h', list_news: null }],
  ] as [string, object][]) { const { status, body: r } = await app.post(path, body); show(`${path} ${JSON.stringify(body)} -> ${status} ${status >= 300 ? JSON.stringify(r.errors ?? r.detail ?? r) : ''}`); }
}, 60000);
it('csv', async () => {
  const c = CNPJ; const m = `${c.slice(0,2)}.${c.slice(2,5)}.${c.slice(5,8)}/${c.slice(8,12)}-${c.slice(12)}`;
  for (const csv of [`cnpj;nome\n${c};A\n`, `\ufeffCNPJ,Nome\n"${m}",A\n`, `CNPJ\t Nome\n${m}\tA\n`, `cnpj|nome\n${c}|A\n`, `sep=;\ncnpj;nome\n${c};A\n`, `"CNPJ nº";"Razão"\n"CNPJ nº ${m}";A\n`, `cnpj;nome\n="${c}";A\n`, `cnpj;nome\n"=""${c}""";A\n`, `cnpj;nome\n'${c};A\n`, `cnpj;nome\n${c}.0;A\n`, `cnpj;nome\n${c},0;A\n`, `cnpj,nome\n"${c},00",A\n`, `cnpj;nome\n${c[0]},${c.slice(1)}E+13;A\n`, `Razão Social;CPF/CNPJ\nA;${m}\n`, `CNPJ da empresa;nome\n${m};A\n`, `identificador\n${c}\n`, `${c}\n`, `nome;documento\nA;${c}\n`, `cnpj;nome\n0${c};A\n`, `cnpj;nome\r${c};A\r`, `cnpj;nome\n ${m} ;A\n\n;\n`, `cnpj;nome\n${m} - MATRIZ;A\n`, `cnpj;nome\nBR${c};A\n`, `cnpj;nome\n${m.replace('/', '⁄')};A\n`, `CNPJ BÁSICO;CNPJ ORDEM;CNPJ DV\n${c.slice(0,8)};${c.slice(8,12)};${c.slice(12)}\n`, `tax_id,country\n${c},br\n`, `tax id,pais\n${c},Brasil\n`, `tax id,country\n${c},BRA\n`]) {
    const { status, body: r } = await app.post('/v1/screenings', { country: csv.includes('country') || csv.includes('pais') ? undefined : 'BR', csv });
    show(`${JSON.stringify(csv)} -> ${status} ${JSON.stringify(status < 300 ? { companies: r.companies ?? r.total, rejected: r.rejected } : (r.errors ?? r)).slice(0, 260)}`);
  }
}, 60000);
it('sites', () => {
  for (const s of ['rs.gov.br','http://rs.gov.br/','RS.GOV.BR','rs.gov.br.','www.rs.gov.br','df.gov.br','sp.gov.br:8080','gov.br','www.gov.br','https://www.gov.br/pt-br','gob.cl','www.gob.cl','gov.cl','gov.co','www.gov.co','mil.br','jus.br','leg.br','sp.leg.br','tc.br','mp.br','com.br','com.co','co.cl','edu.co','edu.br','usp.br','unal.edu.co','net.co','gob.ar','gob.mx','gob.pe','gub.uy','gob.pe','gouv.fr','gov.uk','nhs.uk','police.uk','ac.uk','blogspot.com','github.io','herokuapp.com','wordpress.com','wixsite.com','vercel.app','netlify.app','azurewebsites.net','web.app','co','br','cl','contato@rs.gov.br','mailto:x@df.gov.br','rio.br','sampa.br','poa.br','9guacu.br','curitiba.br','art.br','adm.br','eng.br','ltda','xn--p1ai','kawasaki.jp','city.kawasaki.jp','nom.br','def.br','rs.mp.br','sc.gov.br/path?x=1','mil.cl','mil.co','gv.at','gov.in','go.jp','admin.ch','gov.ar','int.br','eb.mil.br','b.br']) {
    const t = (f: () => unknown) => { try { return JSON.stringify(f()); } catch (e) { return `ERR ${(e as Error).message.slice(0, 80)}`; } };
    show(`${s.padEnd(28)} ${t(() => parseSite(s, 'url'))}`);
  }
});
