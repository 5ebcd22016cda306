import type { Inputs } from '../api/client.ts'

/** Parameters of a read that are no filters. */
type Others =
  | 'siteKey'
  | 'range'
  | 'from'
  | 'to'
  | 'compare'
  | 'compare_from'
  | 'compare_to'
  | 'match_weekday'
  | 'campaign'
  | 'imported'

/** A filter as the API knows it. */
export type FilterName = Exclude<keyof Inputs['stats']['overview'], Others>

export type Operator =
  | 'is'
  | 'is_not'
  | 'contains'
  | 'does_not_contain'
  | 'starts_with'
  | 'ends_with'
  | 'matches_pattern'
  | 'matches_regex'

export const OPERATORS: readonly Operator[] = [
  'is',
  'is_not',
  'contains',
  'does_not_contain',
  'starts_with',
  'ends_with',
  'matches_pattern',
  'matches_regex',
]

/** Filters in the order of the menu, by the section of a share that has them. Checked by types: none of the API's is missing. */
export const FILTERS = {
  path: 'pages',
  entry_path: 'pages',
  exit_path: 'pages',
  title: 'pages',
  hostname: 'pages',
  channel: 'sources',
  source: 'sources',
  referrer: 'sources',
  utm_source: 'sources',
  utm_medium: 'sources',
  utm_campaign: 'sources',
  utm_content: 'sources',
  utm_term: 'sources',
  country: 'locations',
  region: 'locations',
  city: 'locations',
  size: 'devices',
  browser: 'devices',
  browser_version: 'devices',
  os: 'devices',
  os_version: 'devices',
  screen: 'devices',
  language: 'devices',
  goal: 'goals',
  event_name: 'events',
  prop_key: 'events',
  prop_value: 'events',
  user_id: 'people',
  visit_count: 'people',
  segment: 'traffic',
} as const satisfies Record<FilterName, string>

export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[]

/** Whether a name of an address is that of a filter; `constructor` and the like are none. */
export const isFilter = (name: string): name is FilterName => Object.hasOwn(FILTERS, name)

/** Filters with an id as value: they know no operators. */
export const hasOperators = (name: FilterName): boolean => name !== 'goal' && name !== 'segment'

/** One chip: a filter with one operator and its values; one of them must match, with a negative operator none may. */
export interface Filter {
  name: FilterName
  operator: Operator
  values: string[]
}

/** Name of a filter's parameter in an address, the same as in the API: `path`, `path[contains]`. */
export const parameterOf = ({ name, operator }: Pick<Filter, 'name' | 'operator'>): string =>
  operator === 'is' ? name : `${name}[${operator}]`

/** Reads the filters of an address, in the order in which they stand there. */
export function filtersIn(params: URLSearchParams): Filter[] {
  return [...new Set(params.keys())].flatMap(parameter => {
    const match = /^(\w+?)(?:\[(\w+)\])?$/.exec(parameter)
    const name = match?.[1] ?? ''
    const operator = (match?.[2] ?? 'is') as Operator
    if (!isFilter(name) || !OPERATORS.includes(operator)) return []
    return [{ name, operator, values: params.getAll(parameter) }]
  })
}

export type FilterInput = Pick<Inputs['stats']['overview'], FilterName>

/** Returns filters as the input of a read. */
export function inputOf(filters: readonly Filter[]): FilterInput {
  const input: Record<string, Partial<Record<Operator, string[]>> | string[]> = {}
  for (const { name, operator, values } of filters) {
    if (hasOperators(name)) input[name] = { ...(input[name] as object), [operator]: values }
    else input[name] = values
  }
  return input as FilterInput
}
