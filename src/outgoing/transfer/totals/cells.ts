import { cut, mend } from '../../../platform/schema/validation.ts'
import { isCalendarDate } from '../../../platform/time/local-time.ts'

/** Larger ones are mistakes: no site has a billion visitors a day, and sums stay exact. */
const MOST = 1_000_000_000
const MOST_SECONDS = 1_000_000_000_000
const LONGEST_VALUE = 2_048

/** Returns a text as it is stored. */
export const cellText = (cell: string | undefined): string => cut(mend(cell ?? '').trim(), LONGEST_VALUE)

/** Returns a whole number; undefined for what is none. */
export function wholeNumber(cell: string | undefined): number | undefined {
  const value = decimal(cell)
  return value !== undefined && Number.isInteger(value) && value <= MOST ? value : undefined
}

/** Returns seconds, rounded; undefined for what is no number. */
export function seconds(value: number | undefined): number | undefined {
  return value !== undefined && value <= MOST_SECONDS ? Math.round(value) : undefined
}

/** Returns a number from 0; undefined for what is none. */
export function decimal(cell: string | undefined): number | undefined {
  const text = cell?.trim() ?? ''
  return /^\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : undefined
}

/** Returns a share from 0 to 1, of `0.42`, `42%` or `42.5`. */
export function share(cell: string | undefined): number | undefined {
  const text = cell?.trim() ?? ''
  const value = decimal(text.replace(/\s*%$/, ''))
  if (value === undefined) return undefined
  const part = text.endsWith('%') || value > 1 ? value / 100 : value
  return part <= 1 ? part : undefined
}

/** Returns a day of `2024-01-31` or `20240131`; undefined for another text. */
export function calendarDay(cell: string | undefined): string | undefined {
  const text = (cell?.trim() ?? '').replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
  return isCalendarDate(text) ? text : undefined
}
