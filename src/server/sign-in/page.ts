import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { escapeHtml } from '../../domain/mail.ts';
import type { Message } from '../../messages/message.ts';
import { requestMessages } from '../../messages/requests.ts';
import { signInMessages } from '../../messages/sign-in.ts';
import { readerOf } from '../language.ts';

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}small{opacity:.75}';
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Sends the page that says why a person was not signed in, with a link back. No cache keeps it. */
export function sendSignInPage(
  reply: FastifyReply,
  status: number,
  code: string,
  text: Message = requestMessages.internal(),
): FastifyReply {
  const { requestId, language } = readerOf(reply.request);
  const [sentence, back, details] = [text, signInMessages.back(), signInMessages.code({ code, request: requestId })].map((one) =>
    escapeHtml(one.in(language)),
  );
  return reply
    .status(status)
    .headers({
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    })
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Quipu</title><style>${STYLE}</style></head>
<body><main><h1>Quipu</h1><p role="alert">${sentence}</p><p><a href="/dashboard">${back}</a></p><p><small>${details}</small></p></main></body>
</html>
`);
}
