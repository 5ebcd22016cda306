/** Returns a text of `a` and `b` without a pattern, the same for the same seed: expressions cannot reuse what they know of others. */
export const mixedText = (seed: number, length: number): string =>
  Array.from({ length }, (_, index) => (Math.sin(seed * 9_973 + index * index) > 0 ? 'a' : 'b')).join('')
