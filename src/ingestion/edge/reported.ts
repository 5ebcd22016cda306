import { mend } from '../../platform/schema/validation.ts'
import type { Hit } from '../hit.ts'

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))
/** Maximum in minor units: one hit with the public tracking key must not distort the sums of a goal (docs/metrics.md "Reported revenue"). */
const MAX_REPORTED = 10n ** 12n

/** Decimal digits of a currency (ISO 4217): 2 for USD, 0 for JPY, 3 for KWD. */
function minorDigits(currency: string): number {
  return (
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  )
}

/**
 * Converts an amount from major to minor units, exactly: it uses the printed decimal of the number and rounds half away
 * from zero.
 * @returns undefined when the result is not above zero, or above 10^12 minor units
 */
function toMinorUnits(amount: number, currency: string): bigint | undefined {
  const [mantissa, exponent = '0'] = String(amount).split('e')
  const [whole, fraction = ''] = mantissa!.split('.')
  const shift = Number(exponent) - fraction.length + minorDigits(currency)
  if (shift > 20 || shift < -60) return undefined
  const digits = BigInt(whole! + fraction)
  const divisor = shift < 0 ? 10n ** BigInt(-shift) : 1n
  const minor = shift < 0 ? (2n * digits + divisor) / (2n * divisor) : digits * 10n ** BigInt(shift)
  return minor > 0n && minor <= MAX_REPORTED ? minor : undefined
}

/** Returns an amount in major units as a decimal: 1234 of USD is `12.34`. The result of `toMinorUnits` with it is the amount. */
export function toMajorUnits(amountMinor: number, currency: string): string {
  const digits = minorDigits(currency)
  if (digits === 0) return String(amountMinor)
  const padded = String(amountMinor).padStart(digits + 1, '0')
  return `${padded.slice(0, -digits)}.${padded.slice(-digits)}`
}

/** Reads the reported revenue of `/api/event`; returns undefined unless it has exactly the documented shape. */
export function readRevenue(value: unknown): { amountMinor: string; currency: string } | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { amount, currency } = value as { amount?: unknown; currency?: unknown }
  if (typeof amount !== 'number' || !Number.isFinite(amount) || amount <= 0) return undefined
  if (typeof currency !== 'string') return undefined
  const code = currency.toUpperCase()
  if (!CURRENCIES.has(code)) return undefined
  const minor = toMinorUnits(amount, code)
  return minor === undefined ? undefined : { amountMinor: String(minor), currency: code }
}

type ReportedError = NonNullable<Hit['error']>

const ERROR_FIELDS = {
  name: 'name',
  message: 'message',
  stack: 'stack',
  fileName: 'file_name',
  lineNumber: 'line_number',
  columnNumber: 'column_number',
} as const

/** Reads the fields of an error from `error` if it has the documented shape, otherwise from properties of the same names. */
export function readError(value: unknown, properties: Record<string, string> | undefined): ReportedError {
  const given = isErrorShape(value) ? value : {}
  const error: ReportedError = {}
  for (const [field, wireName] of Object.entries(ERROR_FIELDS) as [keyof ReportedError, string][]) {
    const raw = given[wireName] ?? properties?.[wireName]
    if (raw !== undefined && raw !== null && raw !== '') error[field] = mend(String(raw))
  }
  return error
}

function isErrorShape(value: unknown): value is Record<string, string | number | null | undefined> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(ERROR_FIELDS).every(name => {
    const field = (value as Record<string, unknown>)[name]
    const isNumberField = name === 'line_number' || name === 'column_number'
    return (
      field === undefined ||
      field === null ||
      typeof field === 'string' ||
      (isNumberField && typeof field === 'number')
    )
  })
}
