import { type GraphQLError, Lexer, Source, TokenKind } from 'graphql';
import { beyond, LIMITS } from '../limits.ts';

/**
 * Why a text is too much to be parsed; null when it is not. The number of tokens bounds everything that comes after: how deep a parser
 * descends, and how many nodes there are to visit.
 */
export function textProblem(text: string): GraphQLError | null {
  const bytes = Buffer.byteLength(text);
  if (bytes > LIMITS.documentBytes) return beyond('DOCUMENT_TOO_LARGE', 'bytes of text', bytes, LIMITS.documentBytes);
  const tokens = countTokens(text);
  return tokens > LIMITS.tokens ? beyond('TOO_MANY_TOKENS', 'tokens', tokens, LIMITS.tokens) : null;
}

/** Up to the end, or to the first mistake, which the parser will tell. */
function countTokens(text: string): number {
  const lexer = new Lexer(new Source(text));
  let count = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF) count += 1;
  } catch {
    return count;
  }
  return count;
}
