import { AppError } from '../../../platform/errors.ts'
import { moneyKind } from '../money/money-kind.ts'
import { totalsKind } from '../totals/totals-kind.ts'
import { hitsKind } from './hits-kind.ts'
import type { FormatDescription, ImportKind } from './import-kind.ts'

/** All ways of importing, by the name that `imports.kind` holds. Names of formats are unique across them. */
export const IMPORT_KINDS: Record<string, ImportKind> = {
  hits: hitsKind,
  totals: totalsKind,
  money: moneyKind,
}

export interface KnownFormat extends FormatDescription {
  kind: string
  format: string
}

export const IMPORT_FORMATS: KnownFormat[] = Object.entries(IMPORT_KINDS).flatMap(([kind, { formats }]) =>
  Object.entries(formats).map(([format, description]) => ({ kind, format, ...description })),
)

/** @throws AppError `validation_failed` for a name that no kind has */
export function findFormat(format: string): KnownFormat {
  const found = IMPORT_FORMATS.find(known => known.format === format)
  if (found) return found
  const names = IMPORT_FORMATS.map(known => known.format).join(', ')
  const problem = `is not a known format; use one of ${names}`
  throw new AppError('validation_failed', `format ${problem}`, { fields: { format: [problem] } })
}
