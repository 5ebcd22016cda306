import { useFormat } from '../../format/format.ts'

const AMOUNTS = /revenue|mrr/

/** Returns how values of terms are written: amounts of money, times, or counts. Digits beyond exact numbers come as text. */
export function useTermText(): (term: string, value: number | string | undefined) => string {
  const format = useFormat()
  return (term, value) => {
    if (value === undefined || typeof value === 'string') return value ?? ''
    if (AMOUNTS.test(term)) return format.exactMoney(value)
    return term.endsWith('_ms') ? format.duration(value / 1_000) : format.exact(value)
  }
}

export const isAmount = (term: string): boolean => AMOUNTS.test(term)
