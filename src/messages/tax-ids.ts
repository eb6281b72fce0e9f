import { defineMessages } from './message.ts';

/** Reasons for which a text is not a tax id, and for which a company cannot be identified by it. */
export const taxIdMessages = defineMessages('taxIds', {
  tooLong: [
    'A tax id is shorter than this: at most {max} characters, with its label and punctuation.',
    'Es demasiado largo para un identificador tributario, que tiene como máximo {max} caracteres, con su etiqueta y su puntuación.',
    'É longo demais para um identificador fiscal, que tem no máximo {max} caracteres, com seu rótulo e sua pontuação.',
  ],
  rounded: [
    'A spreadsheet has rounded this number (scientific notation). Give it in full, from a column of the type text.',
    'Una hoja de cálculo redondeó este número (notación científica). Indíquelo completo, desde una columna de tipo texto.',
    'Uma planilha arredondou este número (notação científica). Informe-o por completo, de uma coluna do tipo texto.',
  ],
  withDecimals: [
    'Decimals stand behind this number, and it is a valid id with them and without them. Give it without decimals.',
    'Este número tiene decimales, y es un identificador válido con ellos y sin ellos. Indíquelo sin decimales.',
    'Este número tem casas decimais e é um identificador válido com elas e sem elas. Informe-o sem casas decimais.',
  ],
  notACnpj: [
    'A CNPJ has 12 letters or digits and 2 check digits, e.g. 11.222.333/0001-81.',
    'Un CNPJ tiene 12 letras o dígitos y 2 dígitos verificadores, p. ej. 11.222.333/0001-81.',
    'Um CNPJ tem 12 letras ou dígitos e 2 dígitos verificadores, p. ex. 11.222.333/0001-81.',
  ],
  shortCnpj: [
    'A CNPJ has 12 letters or digits and 2 check digits, e.g. 11.222.333/0001-81. This has {n} {n|digit|digits}.',
    'Un CNPJ tiene 12 letras o dígitos y 2 dígitos verificadores, p. ej. 11.222.333/0001-81. Este tiene {n} {n|dígito|dígitos}.',
    'Um CNPJ tem 12 letras ou dígitos e 2 dígitos verificadores, p. ex. 11.222.333/0001-81. Este tem {n} {n|dígito|dígitos}.',
  ],
  personsCpf: [
    '11 digits: this is a CPF, the id of a person. Give the CNPJ of the company, which has 14.',
    '11 dígitos: este es un CPF, el identificador de una persona. Indique el CNPJ de la empresa, que tiene 14.',
    '11 dígitos: este é um CPF, o identificador de uma pessoa. Informe o CNPJ da empresa, que tem 14.',
  ],
  repeatedCnpj: [
    'A CNPJ of one repeated character is not issued.',
    'No se emite un CNPJ de un solo carácter repetido.',
    'Não se emite um CNPJ de um só caractere repetido.',
  ],
  cnpjCheckDigits: [
    'The check digits of this CNPJ should be {expected}, not {given}.',
    'Los dígitos verificadores de este CNPJ deberían ser {expected}, no {given}.',
    'Os dígitos verificadores deste CNPJ deveriam ser {expected}, e não {given}.',
  ],
  oneDigitTooMany: [
    '{n} digits: one too many. A CNPJ has 14.',
    '{n} dígitos: sobra uno. Un CNPJ tiene 14.',
    '{n} dígitos: sobra um. Um CNPJ tem 14.',
  ],
  digitsTooMany: [
    '{n} digits: {extra} too many. A CNPJ has 14.',
    '{n} dígitos: sobran {extra}. Un CNPJ tiene 14.',
    '{n} dígitos: sobram {extra}. Um CNPJ tem 14.',
  ],
  lostZero: [
    '{n} digits: a CNPJ has 14. If a left zero is missing, its check digits should be {expected}, not {given}.',
    '{n} dígitos: un CNPJ tiene 14. Si falta un cero a la izquierda, sus dígitos verificadores deberían ser {expected}, no {given}.',
    '{n} dígitos: um CNPJ tem 14. Se falta um zero à esquerda, seus dígitos verificadores deveriam ser {expected}, e não {given}.',
  ],
  lostZeros: [
    '{n} digits: a CNPJ has 14. If {zeros} left zeros are missing, its check digits should be {expected}, not {given}.',
    '{n} dígitos: un CNPJ tiene 14. Si faltan {zeros} ceros a la izquierda, sus dígitos verificadores deberían ser {expected}, no {given}.',
    '{n} dígitos: um CNPJ tem 14. Se faltam {zeros} zeros à esquerda, seus dígitos verificadores deveriam ser {expected}, e não {given}.',
  ],
  notARut: [
    'A RUT has up to 8 digits and a check digit 0–9 or K, e.g. 76.123.456-0.',
    'Un RUT tiene hasta 8 dígitos y un dígito verificador 0–9 o K, p. ej. 76.123.456-0.',
    'Um RUT tem até 8 dígitos e um dígito verificador 0–9 ou K, p. ex. 76.123.456-0.',
  ],
  repeatedRut: [
    'A RUT of zeros, or of one repeated digit, is not issued.',
    'No se emite un RUT de ceros ni de un solo dígito repetido.',
    'Não se emite um RUT de zeros nem de um só dígito repetido.',
  ],
  rutCheckDigit: [
    'The check digit of this RUT should be {expected}, not {given}.',
    'El dígito verificador de este RUT debería ser {expected}, no {given}.',
    'O dígito verificador deste RUT deveria ser {expected}, e não {given}.',
  ],
  notANit: [
    'A NIT has 9 digits and, if given, a check digit, e.g. 900.964.705-5.',
    'Un NIT tiene 9 dígitos y, si se indica, un dígito de verificación, p. ej. 900.964.705-5.',
    'Um NIT tem 9 dígitos e, se informado, um dígito verificador, p. ex. 900.964.705-5.',
  ],
  repeatedNit: [
    'A NIT of zeros, or of one repeated digit, is not issued.',
    'No se emite un NIT de ceros ni de un solo dígito repetido.',
    'Não se emite um NIT de zeros nem de um só dígito repetido.',
  ],
  personsCard: [
    'Ten digits that do not begin with 8 or 9 are the identity card of a person. Give the NIT of the company, e.g. 900.964.705-5.',
    'Diez dígitos que no empiezan por 8 o 9 son la cédula de una persona. Indique el NIT de la empresa, p. ej. 900.964.705-5.',
    'Dez dígitos que não começam com 8 ou 9 são a cédula de uma pessoa. Informe o NIT da empresa, p. ex. 900.964.705-5.',
  ],
  nitCheckDigit: [
    'The check digit of this NIT should be {expected}, not {given}.',
    'El dígito de verificación de este NIT debería ser {expected}, no {given}.',
    'O dígito verificador deste NIT deveria ser {expected}, e não {given}.',
  ],
  cnpjOrOther: [
    'With its zeros this number is a valid CNPJ, and without them an id of another country; say which country.',
    'Con sus ceros este número es un CNPJ válido, y sin ellos un identificador de otro país; indique el país.',
    'Com seus zeros este número é um CNPJ válido, e sem eles um identificador de outro país; informe o país.',
  ],
  rutOrNit: [
    'This number is both a valid Chilean RUT and a Colombian NIT without its check digit; say which country.',
    'Este número es a la vez un RUT chileno válido y un NIT colombiano sin su dígito de verificación; indique el país.',
    'Este número é ao mesmo tempo um RUT chileno válido e um NIT colombiano sem seu dígito verificador; informe o país.',
  ],
  noTaxId: [
    'This is neither a CNPJ (14 characters), a RUT (up to 9) nor a NIT (9 or 10 digits).',
    'Esto no es un CNPJ (14 caracteres), ni un RUT (hasta 9), ni un NIT (9 o 10 dígitos).',
    'Isto não é um CNPJ (14 caracteres), nem um RUT (até 9), nem um NIT (9 ou 10 dígitos).',
  ],
});
