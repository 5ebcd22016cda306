import { firstOfMonth, firstOfYear, type LocalDay } from './local-time.ts'

/** First and last day of each preset that is whole days. */
const DAY_PRESETS = {
  today: today => [today, today],
  yesterday: today => [today - 1, today - 1],
  last_7_days: today => [today - 6, today],
  last_30_days: today => [today - 29, today],
  this_month: today => [firstOfMonth(today), today],
  last_month: today => [firstOfMonth(today, -1), firstOfMonth(today) - 1],
  last_12_months: today => [firstOfMonth(today, -11), today],
  year_to_date: today => [firstOfYear(today), today],
  all: (today, firstEvent) => [Math.min(firstEvent, today), today],
} satisfies Record<string, (today: LocalDay, firstEvent: LocalDay) => [first: LocalDay, last: LocalDay]>

type DayPreset = keyof typeof DAY_PRESETS
export type RangePreset = DayPreset | 'last_24_hours'

export const RANGE_PRESETS: readonly RangePreset[] = [
  'today',
  'yesterday',
  'last_24_hours',
  'last_7_days',
  'last_30_days',
  'this_month',
  'last_month',
  'last_12_months',
  'year_to_date',
  'all',
]

/** Returns the first and the last day of a preset of whole days. */
export const daysOf = (
  preset: DayPreset,
  today: LocalDay,
  firstEvent: LocalDay,
): [first: LocalDay, last: LocalDay] => DAY_PRESETS[preset](today, firstEvent)
