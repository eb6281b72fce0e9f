import { expect, it } from 'vitest';
import { mailProblemText } from '../../dashboard/pages/mail-problem.ts';
import { notifications } from '../../dashboard/texts/notifications.ts';
import type { Texts } from '../../dashboard/texts/texts.ts';

const spanish = Object.assign((key: keyof typeof notifications) => notifications[key][1], { language: 'es' }) as Texts;

it.each([
  ['EENVELOPE 550', 'el servidor de correo rechazó la dirección o el remitente.'],
  ['EMESSAGE 552', 'el servidor de correo rechazó el contenido del mensaje.'],
  ['EAUTH 535', 'el servidor de correo rechazó las credenciales de este servicio.'],
  ['ETIMEDOUT', 'no se pudo conectar con el servidor de correo.'],
  ['EDNS', 'no se pudo conectar con el servidor de correo.'],
  ['unknown', 'por un motivo desconocido.'],
  ['ENEWER 1', 'por un motivo desconocido.'],
])('a mail that failed with %s has a sentence', (codes, sentence) => {
  expect(mailProblemText(codes, spanish)).toBe(sentence);
});
