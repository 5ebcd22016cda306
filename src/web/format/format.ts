import { useMemo } from 'react'
import { useSite } from '../state/site.tsx'
import { useLanguage } from '../text/text.tsx'
import { type DateFormat, dateFormat } from './dates.ts'
import { type MoneyFormat, moneyFormat } from './money.ts'
import { type NumberFormat, numberFormat } from './numbers.ts'

export type Format = NumberFormat & DateFormat & MoneyFormat

/** Returns how numbers, times and amounts of the site are written for the reader. */
export function useFormat(): Format {
  const { locale } = useLanguage()
  const { timezone, currency } = useSite()
  return useMemo(() => createFormat(locale, timezone, currency), [locale, timezone, currency])
}

/** Numbers and times outside of a site: times are those of the reader. */
export function usePlainFormat(): NumberFormat & DateFormat {
  const { locale } = useLanguage()
  return useMemo(() => ({ ...numberFormat(locale), ...dateFormat(locale) }), [locale])
}

const createFormat = (locale: string, zone: string, currency: string): Format => ({
  ...numberFormat(locale),
  ...dateFormat(locale, zone),
  ...moneyFormat(locale, currency),
})
