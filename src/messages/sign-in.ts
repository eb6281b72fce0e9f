import { defineMessages } from './message.ts';

/** Texts of the pages that say why a person was not signed in. */
export const signInMessages = defineMessages('signIn', {
  ISSUER_UNAVAILABLE: [
    '{issuer} does not answer right now. Try again in a moment, or sign in with an API key.',
    '{issuer} no responde en este momento. Inténtelo de nuevo en un instante o entre con una clave de API.',
    '{issuer} não responde agora. Tente novamente em instantes ou entre com uma chave de API.',
  ],
  ISSUER_ANSWER_INVALID: [
    'The answer of {issuer} is not valid, so you are not signed in. The operator of this service finds the reason in its log.',
    'La respuesta de {issuer} no es válida, por lo que no se inició la sesión. El operador de este servicio encuentra el motivo en su registro.',
    'A resposta de {issuer} não é válida; por isso, o login não foi feito. O operador deste serviço encontra o motivo no seu log.',
  ],
  SIGN_IN_EXPIRED: [
    'This sign-in took too long, was completed before, or began in another browser. Begin again.',
    'Este inicio de sesión tardó demasiado, ya se completó o comenzó en otro navegador. Comience de nuevo.',
    'Este login demorou demais, já foi concluído ou começou em outro navegador. Comece de novo.',
  ],
  SIGN_IN_REFUSED: ['{issuer} did not sign you in.', '{issuer} no inició su sesión.', '{issuer} recusou seu login.'],
  ROLE_NOT_ASSIGNED: [
    'You are known to {issuer}, but have no role in this service. Ask its operator for one.',
    '{issuer} lo conoce, pero usted no tiene un rol en este servicio. Pídalo a su operador.',
    '{issuer} conhece você, mas você não tem um papel neste serviço. Peça um ao operador.',
  ],
  KEY_NOT_VALID: [
    'The API key for people of {issuer} is not valid. The operator of this service can correct it.',
    'La clave de API para las personas de {issuer} no es válida. El operador de este servicio puede corregirla.',
    'A chave de API para as pessoas de {issuer} não é válida. O operador deste serviço pode corrigi-la.',
  ],
  tooMany: [
    'Too many sign-ins began from your address. Try again in {seconds} s.',
    'Se iniciaron demasiadas sesiones desde su dirección. Inténtelo de nuevo en {seconds} s.',
    'Houve logins demais a partir do seu endereço. Tente novamente em {seconds} s.',
  ],
  back: ['Back to the sign-in', 'Volver al inicio de sesión', 'Voltar ao login'],
  code: ['Code: {code}; request: {request}', 'Código: {code}; solicitud: {request}', 'Código: {code}; solicitação: {request}'],
});
