export interface MoneyFormat {
  /** An amount in minor units, shortened from 100,000 units on: `€9,184`, `€123.5K`. */
  money(minor: number): string
  /** Every digit: `€9,184.20`. */
  exactMoney(minor: number, currency?: string): string
  /** With its sign: `+€1,420`. */
  signedMoney(minor: number): string
  /** Minor units as a number of major ones. */
  major(minor: number): number
}

const LONG = 100_000

export function moneyFormat(locale: string, currency: string): MoneyFormat {
  const exact = style(locale, currency)
  const digits = exact.resolvedOptions().maximumFractionDigits ?? 2
  const major = (minor: number) => minor / 10 ** digits
  const cents = style(locale, currency, { minimumFractionDigits: digits })
  const whole = style(locale, currency, { maximumFractionDigits: 0 })
  const short = style(locale, currency, { notation: 'compact', maximumFractionDigits: 1 })
  const money = (minor: number) => {
    const value = major(minor)
    if (Math.abs(value) >= LONG) return short.format(value)
    // Small amounts need their cents: € 2.50 must not read as € 3.
    return (Math.abs(value) < 100 && !Number.isInteger(value) ? cents : whole).format(value)
  }
  return {
    money,
    major,
    exactMoney: (minor, other = currency) => {
      if (other === currency) return exact.format(major(minor))
      const format = style(locale, other)
      return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
    },
    signedMoney: minor => (minor > 0 ? `+${money(minor)}` : money(minor)),
  }
}

/** `narrowSymbol`: `$` instead of `US$`. */
const style = (locale: string, currency: string, options: Intl.NumberFormatOptions = {}) =>
  new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol', ...options })
