import { BucketInput, finished, hashesWithout } from '../buckets.ts';
import { editDistance } from '../edit-distance.ts';

/** Creates a search for the word that a text is when one letter is missing, added, replaced or swapped. The words themselves are found too. */
export function closeWords(words: readonly string[]): (text: string) => string | undefined {
  const input = new BucketInput();
  for (const [i, word] of words.entries()) hashesWithout(word, 1, (hash) => input.add(hash, i));
  const spellings = finished(input.build());
  const known = new Set(words);
  return (text) => {
    if (known.has(text)) return text;
    let found: string | undefined;
    hashesWithout(text, 1, (hash) => {
      spellings.find(hash, (i) => {
        const word = words[i] as string;
        if (found === undefined && editDistance(text, word, 1) === 1) found = word;
      });
    });
    return found;
  };
}
