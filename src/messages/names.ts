import { defineMessages, type Language, type Message } from './message.ts';

/** Sentences about two names that were compared, and about a candidate that was found by a tax id. */
export const nameMessages = defineMessages('names', {
  sameWords: ['Same words: {words}.', 'Mismas palabras: {words}.', 'Mesmas palavras: {words}.'],
  onlySearched: ['Only in the screened name: {words}.', 'Solo en el nombre consultado: {words}.', 'Somente no nome pesquisado: {words}.'],
  onlyListed: ['Only in the listed name: {words}.', 'Solo en el nombre de la lista: {words}.', 'Somente no nome da lista: {words}.'],
  forms: ['Legal forms set aside: {words}.', 'Formas jurídicas no consideradas: {words}.', 'Formas jurídicas não consideradas: {words}.'],
  weakAlias: [
    'The list marks this alias as weak: too short or too common to decide by.',
    'La lista marca este alias como débil: demasiado corto o común para decidir por él.',
    'A lista marca este nome alternativo como fraco: curto ou comum demais para decidir por ele.',
  ],
  otherSpelling: [
    'Same word, written differently: {a} for {b}.',
    'Misma palabra, escrita de otra forma: {a} por {b}.',
    'Mesma palavra, escrita de outra forma: {a} por {b}.',
  ],
  initials: ['Initials: {a} for {b}.', 'Iniciales: {a} por {b}.', 'Iniciais: {a} por {b}.'],
  joinedOrSplit: ['Joined or split: {a} for {b}.', 'Junto o separado: {a} por {b}.', 'Junto ou separado: {a} por {b}.'],
  abbreviation: ['Abbreviation: {a} for {b}.', 'Abreviatura: {a} por {b}.', 'Abreviação: {a} por {b}.'],
  initial: ['Initial: {a} for {b}.', 'Inicial: {a} por {b}.', 'Inicial: {a} por {b}.'],
  similar: ['Similar: {a} for {b}.', 'Similar: {a} por {b}.', 'Semelhante: {a} por {b}.'],
  repeated: ['Repeated: {words}.', 'Repetido: {words}.', 'Repetido: {words}.'],
  notTaken: [
    'Not taken as part of the name: {words}.',
    'No considerado parte del nombre: {words}.',
    'Não considerado parte do nome: {words}.',
  ],
  digitsAsLetters: ['Digits read as letters: {words}.', 'Dígitos leídos como letras: {words}.', 'Dígitos lidos como letras: {words}.'],
  lettersAsWord: [
    'Letters read as a word: {words}.',
    'Letras leídas como una palabra: {words}.',
    'Letras lidas como uma palavra: {words}.',
  ],
  sameTaxId: ['Same tax id: {id}.', 'Mismo identificador tributario: {id}.', 'Mesmo identificador fiscal: {id}.'],
  otherBranch: [
    'Another branch of the same legal person: {id}.',
    'Otro establecimiento de la misma persona jurídica: {id}.',
    'Outro estabelecimento da mesma pessoa jurídica: {id}.',
  ],
  sameCpfDigits: [
    'Same visible digits of the CPF: {id}.',
    'Mismos dígitos visibles del CPF: {id}.',
    'Mesmos dígitos visíveis do CPF: {id}.',
  ],
});

const sentencesIn = (sentences: readonly Message[], language: Language): string =>
  sentences.map((sentence) => sentence.in(language)).join(' ');

/** An explanation of a comparison: which words agree, differ or were ignored. */
export interface Explained {
  /** The sentences in English. */
  readonly explanation: string;
  readonly sentences: readonly Message[];
}

export const explained = (sentences: readonly Message[]): Explained => ({ explanation: sentencesIn(sentences, 'en'), sentences });

/** Returns a candidate with its explanation in a language. */
export const explainedIn = <T extends Explained>(candidate: T, language: Language): T =>
  language === 'en' ? candidate : { ...candidate, explanation: sentencesIn(candidate.sentences, language) };
