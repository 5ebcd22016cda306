import type { Dimension } from '../../../platform/dimensions/dimensions.ts'
import { browserOf, countryOf, given, pathOf, sizeOf, systemOf } from './values.ts'

/** Exports, older exports and the API spell columns differently. */
const nameOf = (column: string) => column.replace(/[\s_.]+/g, ' ').trim()

/** Returns the one of some columns that a file has. */
export const oneOf = (columns: Set<string>, ...names: string[]) =>
  [...columns].find(column => names.includes(nameOf(column)))

export const TIMES = ['timestamp', 'date', 'day']

export const PAGE = ['pathname', 'page']

export const PLACES: [Dimension, string[], (value: string) => string][] = [
  ['path', PAGE, pathOf],
  ['hostname', ['hostname'], hostOf],
  ['browser', ['browser'], browserOf],
  ['country', ['country', 'country code'], countryOf],
  ['city', ['city'], given],
  ['size', ['device type', 'device'], sizeOf],
  ['os', ['operating system', 'os'], systemOf],
  ['utm_source', ['utm source'], given],
  ['utm_medium', ['utm medium'], given],
  ['utm_campaign', ['utm campaign'], given],
  ['utm_content', ['utm content'], given],
  ['utm_term', ['utm term'], given],
  ['event_name', ['event name', 'event', 'name'], value => value],
]

/** Other columns that split no rows of a day and value. */
const NUMBERS = [
  ...[
    'views',
    'pageviews',
    'uniques',
    'visits',
    'visitors',
    'avg duration',
    'average duration',
    'bounce rate',
  ],
  ...['completions', 'conversions', 'unique completions', 'unique conversions', 'conversion rate'],
  ...['value', 'values', 'total value', 'average value', 'conversion value'],
]
/** Dimensions of a session that are not kept: their rows add up to those of another dimension, but not to the visitors of the site. */
const ADDED_UP = ['region', 'state']

export function hostOf(host: string): string {
  return host.replace(/^https?:\/\//i, '').replace(/\/$/, '')
}

/** Returns a column that may split the rows by something that is not kept. */
export function splittingColumn(columns: Set<string>, hasPlaces: boolean): string | undefined {
  const known = new Set([
    ...['', ...TIMES, ...NUMBERS, ...PLACES.flatMap(([, names]) => names)],
    ...['referrer hostname', 'referrer'],
    ...(hasPlaces ? [...ADDED_UP, 'referrer pathname'] : []),
  ])
  return [...columns].find(column => !known.has(nameOf(column)))
}
