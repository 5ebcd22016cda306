import { fathom } from './fathom.ts'
import type { TotalsFormat } from './format.ts'
import { ga4 } from './ga4.ts'
import { plausible } from './plausible.ts'

/** Formats of totals by name; `PRODUCTS` of src/stats/imported/families.ts has the names of their products. */
export const TOTALS_FORMATS = { 'plausible-totals': plausible, fathom, 'ga4-totals': ga4 } satisfies Record<
  string,
  TotalsFormat
>
export type TotalsFormatName = keyof typeof TOTALS_FORMATS
