/** Numbers from here on are shortened where space is short. */
const LONG = 100_000

export interface NumberFormat {
  /** `64,912`, from 100,000 on `123.5K`. */
  count(value: number): string
  /** Every digit: `1,234,567`. */
  exact(value: number): string
  /** `2.31`. */
  decimal(value: number): string
  /** A percentage as the API gives it, 0 to 100, with all its decimals: rounded again it could be a digit off. */
  percent(value: number): string
  /** A percentage that the page works out itself, with one decimal: `41.7 %`. */
  roughPercent(value: number): string
  /** Numbers are written `1,5`: spreadsheets then separate cells by semicolons. */
  hasDecimalComma: boolean
  /** Seconds as `2m 48s`. */
  duration(seconds: number): string
}

export function numberFormat(locale: string): NumberFormat {
  const whole = new Intl.NumberFormat(locale)
  const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
  const decimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  const rough = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  return {
    count: value => (Math.abs(value) < LONG ? whole : short).format(value),
    exact: value => whole.format(value),
    decimal: value => decimal.format(value),
    percent: value => percent.format(value / 100),
    roughPercent: value => rough.format(value / 100),
    hasDecimalComma: decimal
      .formatToParts(1.5)
      .some(({ type, value }) => type === 'decimal' && value === ','),
    duration,
  }
}

function duration(seconds: number): string {
  const all = Math.round(seconds)
  const [hours, minutes, rest] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60]
  if (hours > 0) return `${hours}h ${minutes}m`
  return minutes > 0 ? `${minutes}m ${rest}s` : `${rest}s`
}

/** A percentage of fewer says nothing: one visitor more is 100 %. */
const LEAST = 10

/** Whether so few were counted that a change of them has no percentage. Of none, a number is new. */
export const isTooFew = (base: number | undefined): boolean => base !== undefined && base > 0 && base < LEAST

/** Returns how many a number in percent was before, of what it is now. */
export const baseOf = (now: number, percent: number): number => now / (1 + percent / 100)
