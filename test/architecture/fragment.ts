/**
 * Words with which no comment and no public description begins. A question word begins an indirect question ("What is kept") where a noun
 * names the thing; the others lack a subject, or refer to a neighbour. "As of 2026", "As long as" and "More than one" begin sentences.
 */
export const FRAGMENT =
  /^(?:What|Which|How|Why|Where|Whether|The same|Of|As(?! of \d| long as| soon as)|Below|More(?! than (?:one|two|\d)))\b/i;
