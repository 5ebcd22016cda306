import { InvalidArgumentError } from 'commander'
import { isUuid } from '../src/access/sites/domain.ts'
import { isCalendarDate } from '../src/platform/time/local-time.ts'

// Parsers for values of options; each throws an InvalidArgumentError, which the command line reports.

export function text(max: number) {
  return (value: string) => {
    const points = [...value].length
    if (points < 1 || points > max) throw new InvalidArgumentError(`It must have 1 to ${max} characters.`)
    return value
  }
}

export function uuid(value: string): string {
  if (!isUuid(value)) throw new InvalidArgumentError('It must be a UUID.')
  return value.toLowerCase()
}

export function email(value: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value) || value.length > 255) {
    throw new InvalidArgumentError('It must be an e-mail address.')
  }
  return value
}

const ISO_TIME = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?$/

/** Parses a date-time or a date; UTC without an offset. */
export function time(value: string): Date {
  const [, day = '', clock = 'T00:00', offset = 'Z'] = ISO_TIME.exec(value) ?? []
  const at = new Date(day + clock + offset)
  // `Date` turns 30 February into 2 March.
  const midnight = new Date(`${day}T00:00Z`)
  if (Number.isNaN(at.getTime()) || !midnight.toISOString().startsWith(day)) {
    throw new InvalidArgumentError('It must be an ISO 8601 time, such as 2030-01-31T12:00:00Z.')
  }
  return at
}

export function wholeNumber(min: number, max: number) {
  return (value: string) => {
    if (!/^\d{1,9}$/.test(value) || Number(value) < min || Number(value) > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    }
    return Number(value)
  }
}

export function currency(value: string): string {
  if (!/^[A-Z]{3}$/.test(value)) {
    throw new InvalidArgumentError('It must be a currency code in upper case, such as USD.')
  }
  return value
}

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** Parses a calendar date and keeps it as text, because its moment depends on the time zone of a site. */
export function day(value: string): string {
  if (!isCalendarDate(value)) throw new InvalidArgumentError('It must be a date, such as 2030-01-31.')
  return value
}
