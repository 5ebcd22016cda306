import { DAY_MS } from '../lib/time.ts'

// PostgreSQL's text form of arrays, for statements of many rows. The driver inspects each value of an array, which for a
// batch costs more than all other work on it.

/**
 * Returns the text of an array, to be passed as a parameter instead of the array. Nulls at the end are left out: `unnest`
 * adds them again, and many columns contain only nulls.
 * @param values texts without NUL, finite numbers or nulls
 */
export function arrayText(values: (string | number | null)[]): string {
  let end = values.length
  while (end > 0 && values[end - 1] === null) end -= 1
  const said = end < values.length ? values.slice(0, end) : values
  // JSON and PostgreSQL use the same quotation marks and commas; only values with escapes need another form.
  const json = JSON.stringify(said)
  const inside = json.includes('\\') ? said.map(literal).join(',') : json.slice(1, -1)
  return `{${inside}}`
}

function literal(value: string | number | null): string {
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value)
}

/**
 * Converts rows to one array a column, the input of `unnest`.
 * @param columns by the name of the statement's parameter
 */
export function arraysOf<Row, Name extends string>(
  columns: Record<Name, (row: Row) => string | number | null>,
  rows: Row[],
): Record<Name, string> {
  const arrays = {} as Record<Name, string>
  for (const name in columns) arrays[name] = arrayText(rows.map(columns[name]))
  return arrays
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

let latestDay = Number.NaN
let latestText = ''

/**
 * Returns a time as a text for PostgreSQL. The date is cached, since most times of a batch lie on one day.
 * @param ms Unix milliseconds
 */
export function timeText(ms: number | undefined): string | null {
  if (ms === undefined) return null
  const day = Math.floor(ms / DAY_MS)
  if (day !== latestDay) {
    latestText = new Date(day * DAY_MS).toISOString().slice(0, -13)
    latestDay = day
  }
  const second = Math.floor((ms - day * DAY_MS) / 1_000)
  const minute = Math.floor(second / 60)
  const hour = TWO_DIGITS[Math.floor(minute / 60)]
  const fraction = String(1_000 + (ms - Math.floor(ms / 1_000) * 1_000)).slice(1)
  return `${latestText}${hour}:${TWO_DIGITS[minute % 60]}:${TWO_DIGITS[second % 60]}.${fraction}Z`
}
