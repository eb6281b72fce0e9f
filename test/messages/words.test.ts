import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Files with Spanish and Portuguese texts: of pages, answers, mails, reports, files and guides. */
const FILES = globSync(['{src,dashboard}/**/*.{ts,tsx}', 'docs/{es,pt}/*.md', 'README.{es,pt}.md']);

/**
 * The word in use → words that people wrote for the same thing. A file has texts in both languages, so an expression must not fit what is
 * right in the other one: `identificador fiscal` is the word in Portuguese. Where a word has a second meaning, the expression has its context.
 */
const WORDS: readonly (readonly [word: string, others: RegExp])[] = [
  ['monto', /(?<!\p{L})importes?(?!\p{L})/iu],
  ['entidad (pública)', /(?<!\p{L})organismos?(?!\p{L})/iu],
  ['agregar', /(?<!\p{L})añad/iu],
  ['adicionar', /(?<!\p{L})acrescent/iu],
  ['eliminar', /(?<!\p{L})borr(?:ar|ando|an?|en?|ó|ad[ao]s?)(?!\p{L})/iu],
  ['excluir', /(?<!\p{L})apag(?:ar|ando|am?|uem?|ou|ad[ao]s?)(?!\p{L})/iu],
  ['identificador tributario', /identificador(?:es)? fiscal(?:es)?, uno/iu],
  ['proceso', /(?<!\p{L})expedientes?(?!\p{L})/iu],
  [
    'verificación (de un monitor)',
    /(?<!\p{L})comprob(?:ación|ad[ao]s?)(?!\p{L})|pud(?:o|ieron) (?:comprobar|revisar)|compruebe las empresas/iu,
  ],
  [
    'verificación (de un monitor)',
    /(?:próxima|última|primera|segunda) revisión|(?<!\p{L})revisad[ao]s?(?!\p{L})|sin revisar|[Pp]rimero se revisan|'Revisar'/u,
  ],
  ['monitorear', /(?<!\p{L})[Vv]ig[ií]l(?!ância)/u],
  ['otro establecimiento, outro estabelecimento (de la misma raíz)', /otra sucursal|outra filial/iu],
  ['participada', /(?<!\p{L})controlada(?!\p{L})|de su propiedad/iu],
  ['socia o administradora, sócia ou administradora', /(?<!\p{L})(?:dueñas?|[Dd]onas?)(?!\p{L})|dueños de socios|donos de sócios/u],
  ['beneficiarios finales, beneficiários finais', /(?:dueños|donos) fina(?:le|i)s/iu],
  ['socios con coincidencias, sócios com correspondências', /socios con hallazgos|sócios com ocorrências/iu],
  [
    'consumir respuestas, consumir respostas',
    /(?<!\p{L})(?:cuentan?|contam?) (?:\d|una?|uma|dos|duas) (?:de |verific|resp|perfil)|cuenta en su plan|conta no seu plano/iu,
  ],
  ['consumir respuestas, consumir respostas', /no cuenta nada|não conta nada|nada (?:se (?:cuenta|contó)|(?:é|foi) contado)/iu],
  ['figurar en, constar em (uma lista)', /(?<!\p{L})nome(?:ia|iam|ie|iem|ar|iá-las?)(?!\p{L})|lista de sanciones (?:la )?nombra/iu],
  ['registrar', /(?<!\p{L})arquiva(?:r|m|do)?(?!\p{L})/iu],
  [
    'contratar con el Estado, contratar com o poder público',
    /(?:inhabilita\p{L}+|idóneas|impedid\p{L}+) (?:para|de) contratos|contratar com o Estado/iu,
  ],
  ['réplica (de un registro)', /(?<!\p{L})(?:espejos?|espelhos?)(?!\p{L})/iu],
  ['entidad emisora, órgão emissor', /(?<!\p{L})publicador(?:es)?(?!\p{L})/iu],
  ['sin veredicto, sem veredito', /sin evaluar|não avaliad[ao]s?|no (?:fue )?evaluadas?|foi avaliada|'Evaluada|'Avaliada/iu],
  ['ordens de compra', /(?:órdenes|ordens) públicas|(?<!\p{L})pedidos de \{/iu],
  [
    'situação cadastral, situación registral',
    /'Registro(?: de la empresa)?(?: \(KYB\))?', 'Situação cadastral|[Rr]egistro (?:de la empresa )?no (?:está )?activo/u,
  ],
  [
    'cadastro (público)',
    /(?<!\p{L})[oO] registro não|no registro'|(?:cópia|mudanças|linhas|Removida) do registro|registros públicos, em uma/u,
  ],
  ['autorização (regulatória)', /(?<!\p{L})liberação(?!\p{L})/iu],
  ['riesgo de las empresas monitoreadas, risco das empresas monitoradas', /riesgo de la cartera|risco da carteira/iu],
  ['antigüedad', /(?<!\p{L})edad(?!\p{L})/iu],
  ['ocorrências', /(?<!\p{L})achados?(?!\p{L})/iu],
  ['registro (de una lista)', /entradas? (?:nueva|en list)|nova entrada/iu],
  ['seleccionar (filas)', /'(?:No )?[Ee]legir (?:\{name\}|todos|ninguno)|(?:las|los) elegid[ao]s/iu],
];

const lines = FILES.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((text, at) => ({ where: `${file}:${at + 1}`, text })),
);

describe('Spanish and Portuguese texts', () => {
  it.each(WORDS)('have one word for one thing: %s', (_, others) => {
    expect(FILES.length).toBeGreaterThan(100);
    expect(lines.filter(({ text }) => others.test(text))).toEqual([]);
  });
});
