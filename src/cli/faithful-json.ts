import { invalidInput } from '../domain/errors.ts';

/** Matches strings, each with the following colon if it is the name of a member, numbers, and the ends of objects. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[\d.eE+-]*|[{}]/g;

/**
 * Parses JSON that means the same to a reader and to a program, because `JSON.parse` keeps the last member of a name and rounds numbers. It
 * returns null for text that is not JSON.
 * @throws AppError INVALID_INPUT for two members of one name in an object, and for a number that is not in its shortest form
 */
export function parseFaithfully(text: string): unknown {
  const value = parsed(text);
  if (value === undefined) return null;
  const objects: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    if (token === '{') objects.push(new Set());
    else if (token === '}') objects.pop();
    else if (string === undefined) requireShortest(token);
    else if (colon !== undefined) addMember(objects.at(-1), JSON.parse(string));
  }
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function requireShortest(number: string): void {
  if (JSON.stringify(Number(number)) !== number)
    throw invalidInput('file', `The file has the number ${number.slice(0, 40)}, which programs read as ${Number(number)}.`);
}

function addMember(members: Set<string> | undefined, name: string): void {
  if (members?.has(name))
    throw invalidInput('file', `The file has two members ${JSON.stringify(name.slice(0, 40))} in one object, so that it says two things.`);
  members?.add(name);
}
