import { api, TOGETHER } from '../api/client.ts'
import { useRead } from '../api/use-read.ts'
import { countryName, decodedPath, languageName } from '../format/names.ts'
import type { Filter, FilterName } from '../state/filters.ts'
import { useSite } from '../state/site.tsx'
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

const SHOWN = 2

/** Returns how a filter is written in its chip: its name, and its values. Goals and segments are shown by their names. */
export function useFilterText(
  filters: readonly Filter[],
): (filter: Filter) => { head: string; values: string } {
  const { filters: text } = useText()
  const valueText = useValueText()
  const goals = useGoalNames(filters.some(({ name }) => name === 'goal'))
  const segments = useSegments(filters.some(({ name }) => name === 'segment'))
  const nameOf = (filter: Filter, value: string) => {
    if (filter.name === 'goal') return goals?.find(({ id }) => id === value)?.display_name ?? '…'
    if (filter.name === 'segment') return segments?.find(({ id }) => id === value)?.name ?? '…'
    return valueText(filter.name, value)
  }
  return filter => {
    const shown = filter.values.slice(0, SHOWN).map(value => nameOf(filter, value))
    const hidden = filter.values.length - shown.length
    if (hidden > 0) shown.push(text.more(hidden))
    const values = [shown.slice(0, -1).join(', '), shown.at(-1)].filter(Boolean).join(` ${text.or} `)
    return { head: `${text.names[filter.name]} ${text.operators[filter.operator]}`, values }
  }
}

const MOST = 100

/** The goals of the site by name. */
export function useGoalNames(enabled = true) {
  const { id } = useSite()
  return useRead(
    ['goals', id, 'names'],
    signal => api.goals.list.query({ siteKey: id, per_page: MOST }, { signal, context: TOGETHER }),
    { enabled },
  ).data?.data
}

/** The segments of the site that the reader sees; shared readers see none. */
export function useSegments(enabled = true) {
  const { id, isMember } = useSite()
  return useRead(
    ['segments', id],
    signal => api.segments.list.query({ siteKey: id }, { signal, context: TOGETHER }),
    { enabled: enabled && isMember },
  ).data
}
