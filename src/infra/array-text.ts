// Arrays as PostgreSQL reads them, for statements of many rows: the driver looks at each value by itself, which for a batch
// costs more than everything else that is done with it.

/**
 * The text of an array, to be a parameter in place of the array. Nulls at its end are left out: `unnest` puts them there
 * again, and of many columns nothing is said by any row.
 * @param values texts without NUL, finite numbers or nulls
 */
export function arrayText(values: (string | number | null)[]): string {
  let end = values.length
  while (end > 0 && values[end - 1] === null) end -= 1
  const said = end < values.length ? values.slice(0, end) : values
  // JSON puts quotation marks and commas as PostgreSQL does, and but for what it escapes that is all there is to it.
  const json = JSON.stringify(said)
  const inside = json.includes('\\') ? said.map(literal).join(',') : json.slice(1, -1)
  return `{${inside}}`
}

function literal(value: string | number | null): string {
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value)
}

const DAY_MS = 86_400_000
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

let latestDay = Number.NaN
let latestText = ''

/**
 * A time as PostgreSQL reads it; most times of a batch are of one day.
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
