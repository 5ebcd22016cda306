import { decodedPath } from '../format/paths.ts'
import { countryName, languageName } from '../format/places.ts'
import type { FilterName } from '../state/filters.ts'
import type { Dictionary } from '../text/languages/en.ts'
import { useLanguage, useText } from '../text/text.tsx'

/** Name of the empty value in answers and filters. */
export const NONE = '(none)'

const PATHS: readonly string[] = ['path', 'entry_path', 'exit_path', 'referrer']

/** Returns how values of a dimension are shown: codes by their names in the reader's language. */
export function useValueText(): (name: FilterName | 'hour_of_week', value: string) => string {
  const { channels, common, overview } = useText()
  const { locale } = useLanguage()
  return (name, value) => {
    if (value === NONE) return noneOf(common, name)
    if (name === 'country') return countryName(locale, value)
    if (name === 'language') return languageName(locale, value)
    if (name === 'channel') return nameIn(channels, value)
    if (name === 'size') return nameIn(overview.sizes, value)
    return PATHS.includes(name) ? decodedPath(value) : value
  }
}

const noneOf = (common: Dictionary['common'], name: string) =>
  name === 'country' ? common.unknownValue : common.none

/** Values come from addresses, too: `constructor` has no name. */
const nameIn = (names: object, value: string) =>
  Object.hasOwn(names, value) ? (names as Record<string, string>)[value]! : value
