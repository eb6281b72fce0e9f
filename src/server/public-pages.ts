import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { escapeHtml } from '../domain/mail.ts';
import type { PageContent, PublicPage } from '../rest/route.ts';
import type { Open } from '../service.ts';

const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}button{font:inherit;padding:.5rem 1rem}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Content-Security-Policy of these pages: their one style and a form to their own address, and nothing else. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/** Bodies that mail programs and forms send. They are not read, because the link says everything. */
const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];
const MAX_FORM_BYTES = 4 * 1024;

/** Mounts the pages that people open by a link. They are never cached, and no other site learns their address. */
export async function mountPublicPages(server: FastifyInstance, pages: readonly PublicPage[], open: Open): Promise<void> {
  await server.register(async (scope) => {
    scope.addContentTypeParser(FORMS, { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES }, (_request, _body, done) => done(null, null));
    for (const { path, show, act } of pages) {
      scope.get<Params>(path, async ({ params }, reply) => send(reply, await show(params.token, open)));
      scope.post<Params>(path, { bodyLimit: MAX_FORM_BYTES }, async ({ params }, reply) => send(reply, await act(params.token, open)));
    }
  });
}

interface Params {
  readonly Params: { readonly token: string };
}

const send = (reply: FastifyReply, content: PageContent): FastifyReply =>
  reply
    .status(content.status)
    .headers({
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    })
    .type('text/html; charset=utf-8')
    .send(pageOf(content));

const pageOf = ({ language, text, button }: PageContent): string => `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Quipu</title><style>${STYLE}</style></head>
<body><main><h1>Quipu</h1><p>${escapeHtml(text)}</p>${button === undefined ? '' : `<form method="post"><button type="submit">${escapeHtml(button)}</button></form>`}</main></body>
</html>
`;
