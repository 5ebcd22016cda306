import type { Inputs } from '../api/client.ts'
import { remember, remembered } from './storage.ts'

type Preset = NonNullable<Inputs['stats']['overview']['range']>

/** Presets in the order of the menu, with the key that chooses each. */
export const PRESETS = {
  today: 'd',
  yesterday: 'e',
  last_24_hours: 'h',
  last_7_days: 'w',
  last_30_days: 't',
  this_month: 'm',
  last_month: 'p',
  year_to_date: 'y',
  last_12_months: 'l',
  all: 'a',
} as const satisfies Record<Preset, string>

export const PRESET_NAMES = Object.keys(PRESETS) as Preset[]

export type Compare = NonNullable<Inputs['stats']['overview']['compare']> | 'none'

/** The time that a page is about. */
export interface Period {
  /** A preset, or two days, `YYYY-MM-DD`, both included. */
  range: Preset | { from: string; to: string }
  /** What the numbers are compared with; `none`: with nothing. */
  compare: Compare
  compareFrom?: string
  compareTo?: string
  matchWeekday: boolean
}

const NAMES = ['range', 'from', 'to', 'compare', 'compare_from', 'compare_to', 'match_weekday'] as const
const STORED = 'period'
const DEFAULT: Preset = 'last_30_days'

/** Reads the period of an address. Without one it is the period that this browser used last. */
export function periodIn(params: URLSearchParams): Period {
  const given = hasPeriod(params) ? params : new URLSearchParams(remembered(STORED) ?? '')
  const [from, to] = [given.get('from'), given.get('to')]
  const preset = given.get('range') ?? ''
  const compare = (params.get('compare') ?? given.get('compare') ?? 'previous') as Compare
  const [compareFrom, compareTo] = [params.get('compare_from'), params.get('compare_to')]
  const isCustom = compare === 'custom' && isDay(compareFrom) && isDay(compareTo)
  return {
    range: isDay(from) && isDay(to) ? { from, to } : isPreset(preset) ? preset : DEFAULT,
    compare: ['previous', 'previous_year', 'none'].includes(compare) || isCustom ? compare : 'previous',
    ...(isCustom && { compareFrom, compareTo }),
    matchWeekday: given.get('match_weekday') === 'true',
  }
}

const isPreset = (name: string): name is Preset => Object.hasOwn(PRESETS, name)

const hasPeriod = (params: URLSearchParams): boolean =>
  params.has('range') || (params.has('from') && params.has('to'))

/** Returns the parameters of a period for an address; null for those that it has not. */
export function paramsOf(period: Period): Record<(typeof NAMES)[number], string | null> {
  const days = typeof period.range === 'string' ? undefined : period.range
  return {
    range: typeof period.range === 'string' ? period.range : null,
    from: days?.from ?? null,
    to: days?.to ?? null,
    compare: period.compare === 'previous' ? null : period.compare,
    compare_from: (period.compare === 'custom' && period.compareFrom) || null,
    compare_to: (period.compare === 'custom' && period.compareTo) || null,
    match_weekday: canMatchWeekday(period) && period.matchWeekday ? 'true' : null,
  }
}

const canMatchWeekday = ({ compare }: Period) => compare === 'previous' || compare === 'previous_year'

/** Remembers a period for pages whose address has none. */
export function rememberPeriod(period: Period): void {
  const given = Object.entries(paramsOf(period)).filter(
    (entry): entry is [string, string] => entry[1] !== null && !entry[0].startsWith('compare_'),
  )
  remember(STORED, new URLSearchParams(given).toString())
}

type RangeInput = Pick<Inputs['stats']['overview'], 'range' | 'from' | 'to'>
type CompareInput = Pick<
  Inputs['stats']['overview'],
  'compare' | 'compare_from' | 'compare_to' | 'match_weekday'
>

/** Returns the range as the input of a read. */
export const rangeInput = ({ range }: Period): RangeInput => (typeof range === 'string' ? { range } : range)

/** Returns the comparison as the input of a read that knows one. */
export function compareInput(period: Period): CompareInput {
  const { compare, compareFrom, compareTo, matchWeekday } = period
  if (compare === 'none') return {}
  if (compare === 'custom') return { compare, compare_from: compareFrom, compare_to: compareTo }
  return { compare, ...(matchWeekday && { match_weekday: true }) }
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Whether a text is a day of the calendar, `YYYY-MM-DD`; 30 February is none. */
export function isDay(text: string | null): text is string {
  if (text === null || !DAY.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}
