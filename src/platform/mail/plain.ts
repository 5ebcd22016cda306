/** What would turn the direction of the text around it, break a line or cannot be seen. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu

/** Characters of a value, on average; a longer one is cut. */
const MOST = 70

/** Returns a value that came with a hit, as one short line that changes nothing around it. */
export function plain(value: string, most = MOST): string {
  const line = value.toWellFormed().replace(UNPRINTABLE, ' ').trim()
  // Cut before it is taken apart: a value may have thousands of characters.
  const characters = [...line.slice(0, 2 * most + 2)]
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line
}
