/** Texts of the sign-in of people. Each row: English, Spanish, Portuguese. */
export const signInTexts = {
  'signIn.with': ['Sign in with {issuer}', 'Entrar con {issuer}', 'Entrar com {issuer}'],
  'signIn.orKey': ['or with an API key', 'o con una clave de API', 'ou com uma chave de API'],
  'signIn.ended': [
    'Your session has ended. Sign in again.',
    'Su sesión terminó. Inicie sesión de nuevo.',
    'Sua sessão terminou. Faça login novamente.',
  ],
  'signIn.person': ['Signed in: {name}', 'Sesión: {name}', 'Sessão: {name}'],
} as const;
