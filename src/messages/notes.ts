import { defineMessages } from './message.ts';

/** Notes about companies. */
export const noteMessages = defineMessages('notes', {
  noText: ['Write a text.', 'Escriba un texto.', 'Escreva um texto.'],
  longText: [
    'A note has at most {max} characters.',
    'Una nota tiene como máximo {max} caracteres.',
    'Uma nota tem no máximo {max} caracteres.',
  ],
  many: [
    'An account has at most {max} notes; delete some.',
    'Una cuenta tiene como máximo {max} notas; elimine algunas.',
    'Uma conta tem no máximo {max} notas; exclua algumas.',
  ],
  noNote: ['This account has no such note.', 'Esta cuenta no tiene esa nota.', 'Esta conta não tem essa nota.'],
});
