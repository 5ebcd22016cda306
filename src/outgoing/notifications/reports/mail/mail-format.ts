import type { MailTexts } from './mail-texts.ts'

/** How mails write numbers: with all their digits, as nothing shows them when one points at a number. */
export interface MailFormat {
  count(value: number): string
  decimal(value: number): string
  percent(value: number): string
  duration(seconds: number): string
  money(minor: number): string
  signedMoney(minor: number): string
  days(from: string, to: string): string
  country(code: string): string
}

export function mailFormat({ locale }: Pick<MailTexts, 'locale'>, currency: string): MailFormat {
  const number = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options)
  const whole = number({})
  const decimal = number({ maximumFractionDigits: 2 })
  const percent = number({ style: 'percent', maximumFractionDigits: 2 })
  const amount = (options: Intl.NumberFormatOptions) =>
    number({ style: 'currency', currency, currencyDisplay: 'narrowSymbol', ...options })
  const cents = amount({})
  const round = amount({ maximumFractionDigits: 0 })
  const digits = cents.resolvedOptions().maximumFractionDigits ?? 2
  const day = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  const countries = new Intl.DisplayNames(locale, { type: 'region' })
  const money = (minor: number) => {
    const value = minor / 10 ** digits
    return (Number.isInteger(value) ? round : cents).format(value)
  }
  return {
    count: value => whole.format(value),
    decimal: value => decimal.format(value),
    percent: value => percent.format(value / 100),
    duration,
    money,
    signedMoney: minor => (minor > 0 ? `+${money(minor)}` : money(minor)),
    days: (from, to) => day.formatRange(new Date(`${from}T00:00:00Z`), new Date(`${to}T00:00:00Z`)),
    country(code) {
      try {
        return countries.of(code) ?? code
      } catch {
        return code
      }
    },
  }
}

function duration(seconds: number): string {
  const all = Math.round(seconds)
  const [hours, minutes, rest] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60]
  if (hours > 0) return `${hours}h ${minutes}m`
  return minutes > 0 ? `${minutes}m ${rest}s` : `${rest}s`
}
