/** Characters that have a meaning in regular expressions. */
const SYNTAX = /[\\^$.*+?()[\]{}|]/

/**
 * Returns a regular expression that finds a text in any case: a character matches itself, its lower-case form and its upper-case
 * form. PostgreSQL and JavaScript read it alike, whatever the collation: it has no classes and no flags.
 */
export const searchPattern = (search: string): string => Array.from(search, variantsOf).join('')

function variantsOf(character: string): string {
  const forms = [character, character.toLowerCase(), character.toUpperCase()]
  const variants = [...new Set(forms)].filter(form => [...form].length === 1)
  if (variants.length > 1) return `[${variants.join('')}]`
  return SYNTAX.test(character) ? `\\${character}` : character
}

/** Returns a value as answers show it. */
export const shownValue = (value: string): string => value || '(none)'

/** Returns a function that tells whether the shown form of a value contains the text; without a text every value is found. */
export function searcherOf(search: string | undefined): (value: string) => boolean {
  if (search === undefined) return () => true
  const pattern = new RegExp(searchPattern(search), 'u')
  return value => pattern.test(shownValue(value))
}
