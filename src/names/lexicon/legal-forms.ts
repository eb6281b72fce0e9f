import { closeWords } from '../edit-distance.ts';
import { isKnown } from './lexicon.ts';

/**
 * Legal forms, and additions of registries to a name, as words without accents and with initials joined. If one is part of another, the
 * longest is used.
 */
const ANYWHERE = `
  SA; SA ESP; SAESP; SA BIC; SA CV; SACV; SADECV; SA DE CV; SAB DE CV; SAPI DE CV; SAA; SAB; SAC; SACA; SACI; SACIF; SACIFI; SACIFIA; SAE; SAECA; SAF; SAIC; SAICA; SAICF;
  SAL; SARL; SAS; SAS BIC; SAS ESP; SASESP; SAU; SPA; SRL; SRLCV; SRL DE CV; SCRL; S DE RL; S DE RL DE CV; S DE RL CV; S DE RLCV; S DE RL MI; S RL; S RL DE CV; S RL CV; S DE PR DE RL; S DE PR DE RL DE CV; SPR; SPR DE RL; SPR DE RL DE CV; SPR DE RI; SPR DE RS; SPR RL; SPR RI;
  SC DE RL DE CV; SC DE RL; SOFOM ENR; SOFOM; SOCIEDAD ANONIMA; SOCIEDAD ANONIMA ABIERTA; SOCIEDAD ANONIMA CERRADA; SOCIEDAD ANONIMA SIMPLIFICADA;
  SOCIEDAD ANONIMA DE CAPITAL VARIABLE; SOCIEDAD ANONIMA BURSATIL; SOCIEDAD POR ACCIONES; SOCIEDAD POR ACCIONES SIMPLIFICADA;
  SOCIEDAD DE RESPONSABILIDAD LIMITADA; SOCIEDAD DE RESPONSABILIDAD LIMITADA DE CAPITAL VARIABLE; SOCIEDAD DE RESPONSABILIDAD LTDA; SOCIEDAD DE RESP LTDA; RESPONSABILIDAD LIMITADA; SOCIEDAD DE PRODUCCION RURAL; SOCIEDAD DE PRODUCCION RURAL DE RESPONSABILIDAD LIMITADA; SOCIEDAD LIMITADA;
  SOCIEDAD EN COMANDITA; SOCIEDAD EN COMANDITA SIMPLE; SOCIEDAD EN COMANDITA POR ACCIONES; EN COMANDITA POR ACCIONES; EN COMANDITA SIMPLE; EN COMANDITA;
  SOCIEDAD COLECTIVA; SOCIEDAD CIVIL; ASOCIACION CIVIL; SOCIEDADE ANONIMA; SOCIEDADE LIMITADA; SOCIEDADE SIMPLES; SOCIEDADE POR ACOES;
  COMPANIA ANONIMA; COMPANIA LIMITADA; CIA LTDA; C LTDA; CIA SCA; CIA SAS; CIA SA; CIA S EN C; CIA S EN CS; CIA S EN CA; CIA SCS;
  Y CIA; E CIA; Y COMPANIA; Y CIA LTDA; E CIA LTDA; Y CIA SA; Y COMPANIA LIMITADA; AND CO; UND CO; S EN C; S EN CS; S EN CA; SENC; SCA; SCS; SEN CS;
  LTDA; LTADA; LDTA; LTDS; LIMITADA; LIMITED; LTD; LTEE; EIRL; EIRELI; EIRELE; EMPRESA INDIVIDUAL DE RESPONSABILIDAD LIMITADA; EMPRESA INDIVIDUAL DE RESPONSABILIDADE LIMITADA;
  EMPRESA UNIPERSONAL; EMPRESA ASOCIATIVA DE TRABAJO; EMPRESA DE PEQUENO PORTE; MICROEMPRESA; MICRO EMPRESA; EPP; LTDA ME; LTDA EPP; EIRELI ME;
  EMPRESA DE SERVICIOS PUBLICOS; ESP; CI SA; CI SAS; CI LTDA; SUCURSAL COLOMBIA; SUCURSAL; FILIAL; EN LIQUIDACION; EN LIQUIDACION JUDICIAL; EN LIQUIDACION VOLUNTARIA; EN LIQUIDACION OBLIGATORIA; EN LIQUIDACION FORZOSA; EN LIQUIDACION FORZOSA ADMINISTRATIVA;
  EN PROCESO DE LIQUIDACION; EN QUIEBRA; EN CONCORDATO; EN CONCURSO; EM LIQUIDACAO; EM LIQUIDACAO EXTRAJUDICIAL; EM RECUPERACAO EXTRAJUDICIAL; EM FALENCIA; EN REORGANIZACION; EN REORGANIZACION EMPRESARIAL;
  EN REESTRUCTURACION; EM RECUPERACAO JUDICIAL; MASSA FALIDA; EN INTERVENCION; BIC; RL; CV; EAS; SGR; SLU; SCP; SOCIEDAD COMERCIAL; SOCIEDAD COMERCIAL LTDA;
  INC; INCORPORATED; INCORPORADA; LLC; LLP; LP; PLC; CO LTD; CO LTDA; CO LIMITED; CO INC; COMPANY LIMITED; COMPANY LTD; COMPANY INC; COMPANY LLC; LIMITED PARTNERSHIP;
  LIMITED LIABILITY COMPANY; LIMITED LIABILITY PARTNERSHIP; PRIVATE LIMITED; PRIVATE LIMITED COMPANY; PRIVATE JOINT STOCK COMPANY; PUBLIC LIMITED COMPANY; PVT LTD; PVT; PTE LTD; PTE; PTY LTD; PTY;
  JSC; PJSC; OJSC; CJSC; PJS; JOINT STOCK COMPANY; JOINT STOCK CO; LIMITED LIABILITY CO; LIMITED LIABILITY; OPEN JOINT STOCK CO; CLOSED JOINT STOCK CO; PUBLIC JOINT STOCK CO; PUBLIC JOINT STOCK COMPANY; OPEN JOINT STOCK COMPANY; CLOSED JOINT STOCK COMPANY; JOINT STOCK;
  CLOSED JOINT STOCK; OPEN JOINT STOCK; PUBLIC JOINT STOCK; PRIVATE JOINT STOCK; CLOSED JSC; OPEN JSC; PUBLIC JSC; OPEN TYPE JOINT STOCK COMPANY; OOO; AO; PAO; OAO; ZAO; NAO; TOO; FGUP; FSUE; FGBU; GUP; OBSHCHESTVO S OGRANICHENNOI OTVETSTVENNOSTYU;
  OBSHCHESTVO S OGRANICHENNOY OTVETSTVENNOSTYU; OBSHCHESTVO S ORGANICHENNOI OTVETSTVENNOSTYU; AKTSIONERNOE OBSHCHESTVO; PUBLICHNOE AKTSIONERNOE OBSHCHESTVO;
  AKCIONERNOE OBSHCHESTVO; PUBLICHNOE AKCIONERNOE OBSHCHESTVO; OTKRYTOE AKCIONERNOE OBSHCHESTVO; ZAKRYTOE AKCIONERNOE OBSHCHESTVO;
  OTKRYTOE AKTSIONERNOE OBSHCHESTVO; ZAKRYTOE AKTSIONERNOE OBSHCHESTVO; NEPUBLICHNOE AKTSIONERNOE OBSHCHESTVO; FEDERAL STATE UNITARY ENTERPRISE;
  FZE; FZC; FZCO; FZ LLC; FZLLC; DMCC; ANONIM SIRKETI; LIMITED SIRKETI; LTD STI; STI; SIRKETI; AS; GMBH; GMBH CO KG; GMBH UND CO KG; MBH; AG; KG; OHG;
  AKTIENGESELLSCHAFT; GESELLSCHAFT MIT BESCHRANKTER HAFTUNG; BV; NV; SARLAU; EURL; SOCIETE ANONYME; SOCIETE A RESPONSABILITE LIMITEE; SL; SLL; SLNE;
  AB; OY; OYJ; APS; SRO; SPOL SRO; DOO; D O O; KFT; ZRT; NYRT; EOOD; OOD; EAD; ANSTALT; SDN BHD; BHD; BERHAD; TBK; KK; KABUSHIKI KAISHA; UAB; SIA; OU;
  TIC LTD STI; SAN VE TIC LTD STI; TIC AS; SAN VE TIC AS; SAN AS; WLL; CO WLL; SAOC; SAOG; SAL OFFSHORE; LLC FZ; SP Z OO; SPOLKA Z OO;
  LDA; UNIPESSOAL; UNIPESSOAL LDA; SASU; GMBH Y CO KG; LTD CO; PUBLIC CO LTD`;

/** Short or ordinary words that are a legal form only at the end of a name. */
const AT_THE_END =
  'ME; MEI; EI; EU; SS; SC; AC; CA; CI; CO; COY; CPNY; AD; PT; EC; ESE; COMPANIA; COMPANHIA; CIA; COMPANY; CORP; CORPORATION; MATRIZ; PRIVATE; DE CV; CPA; EN C; PS; SE; EST; DD; EV; SNC; BSC; KSC; PCL; TOV; BANCO UNIVERSAL; INSTITUCION DE BANCA MULTIPLE';
/** Words that are a legal form at the beginning of a name. */
const AT_THE_START = 'CI; CA; PT; CV; ME; UAB; SC; SIA; AS; IP; CHP; TOV; SOCIEDAD; SOCIEDADE';

type Forms = ReadonlyMap<string, readonly (readonly string[])[]>;

const formsOf = (text: string): Forms => {
  const forms = text.split(';').map((form) => form.trim().split(' '));
  return Map.groupBy(
    forms.toSorted((a, b) => b.length - a.length),
    ([first = '']) => first,
  );
};
const ANY = formsOf(ANYWHERE);
const ENDS = formsOf(AT_THE_END);
const STARTS = formsOf(AT_THE_START);
/** The words that legal forms begin with. Most names of people have none of them. */
const FIRST_WORDS = new Set([ANY, ENDS, STARTS].flatMap((forms) => [...forms.keys()]));

/** Minimum length of a word of a legal form that is recognised with one typing error. */
const LEAST_MISSPELT = 6;
const FORM_WORDS = closeWords(`${ANYWHERE};${AT_THE_END}`.split(/[;\s]+/).filter((word) => word.length >= LEAST_MISSPELT));

const asFormWord = (word: string): string => {
  if (word === 'SOC') return 'SOCIEDAD';
  return word.length >= LEAST_MISSPELT - 1 && !isKnown(word) ? (FORM_WORDS(word) ?? word) : word;
};

/** Words that end with a legal form without a blank. No other words end with these letters. */
const GLUED = /^([A-Z]{3,}?)(LTDA|LIMITADA|EIRELI|GMBH|LLC|LTD)$/;
/** Words that may end with a legal form without a blank. Other words end with these letters, too. */
const PERHAPS_GLUED = /^([A-Z]{5,}?)(SAS|SPA|SA|SRL|SARL|SL|AG|NV|BV|INC|CORP|PLC|EIRL)$/;

/** Inserts a blank before a legal form that no other word ends with. */
const unglued = (words: readonly string[]): readonly string[] =>
  words.some((word) => GLUED.test(word)) ? words.flatMap((word) => GLUED.exec(word)?.slice(1) ?? [word]) : words;

/** Splits the last word into a word and a legal form: `NORVALSAS` as `NORVAL SAS`. Returns null if it does not end like a form. */
export function withGluedForm(words: readonly string[]): readonly string[] | null {
  const glued = PERHAPS_GLUED.exec(words.at(-1) ?? '');
  return glued ? [...words.slice(0, -1), ...glued.slice(1)] : null;
}

/**
 * Writes out `CI`, the legal form of Colombian traders that others write as words of their name: `CI KALTEX` as `COMERCIALIZADORA
 * INTERNACIONAL KALTEX`. Returns null for words without it.
 */
export function withTraderWrittenOut(words: readonly string[]): readonly string[] | null {
  return words.includes('CI') ? words.toSpliced(words.indexOf('CI'), 1, 'COMERCIALIZADORA', 'INTERNACIONAL') : null;
}

/** The words of a name without its legal forms, and the removed forms. */
export interface WithoutForms {
  readonly words: readonly string[];
  readonly forms: readonly string[];
}

/** Removes the legal forms from the words of a name. A name that consists of forms alone keeps its words. */
export function withoutLegalForms(written: readonly string[]): WithoutForms {
  const words = unglued(written);
  const spelt = words.map(asFormWord);
  if (!spelt.some((word) => FIRST_WORDS.has(word))) return { words, forms: [] };
  const kept: Kept = { words: [], spelt: [] };
  const forms: string[] = [];
  for (let i = 0; i < words.length; ) {
    const length = formAt(ANY, spelt, i);
    if (length > 0) forms.push(spelt.slice(i, i + length).join(' '));
    else {
      kept.words.push(words[i] as string);
      kept.spelt.push(spelt[i] as string);
    }
    i += length || 1;
  }
  trimEnd(kept, forms);
  const start = kept.words.length > 1 ? formAt(STARTS, kept.words, 0) : 0;
  if (start > 0) forms.push(kept.words.splice(0, start).join(' '));
  return kept.words.length === 0 ? { words, forms: [] } : { words: kept.words, forms };
}

/** Words that are not a legal form, as they are written and as they are compared with forms. */
interface Kept {
  readonly words: string[];
  readonly spelt: string[];
}

function trimEnd({ words, spelt }: Kept, forms: string[]): void {
  for (;;) {
    const start = spelt.findIndex((_, i) => i > 0 && formAt(ENDS, spelt, i) === spelt.length - i);
    if (start === -1) return;
    forms.push(words.splice(start).join(' '));
    spelt.splice(start);
  }
}

/** Returns the number of words of the longest form that begins here; 0 for none. */
function formAt(forms: Forms, words: readonly string[], start: number): number {
  const found = forms.get(words[start] as string)?.find((form) => form.every((word, i) => words[start + i] === word));
  return found?.length ?? 0;
}
