/**
 * English words that are no words of Spanish or Portuguese, which any English sentence is likely to have. Words that two of the languages
 * share (`a`, `as`, `do`, `no`, `me`) are not among them.
 */
const ENGLISH =
  /(?<!\p{L})(?:the|is|are|was|were|this|that|these|those|with|without|for|from|not|of|have|been|by|and|or|which|its|at|only|give|send|cannot|must|than|there|who|will|your|our|too|many|again|now|should|expected|received|invalid)(?!\p{L})/giu;

/** Parts of a text that are the same in all languages: names of parameters, code between backticks, names of headers, addresses. */
const FIXED = /\{\w+|`[^`]*`|"[^"]*"|\b[\w-]*_\w*\b|\b[A-Z][\w]*-[A-Z][\w-]*\b|https?:\/\/\S*|\b[A-Z]{2,}\b/g;

/** Returns the English words of a text. */
export const englishIn = (text: string): readonly string[] => text.replaceAll(FIXED, ' ').match(ENGLISH) ?? [];
