import { useFormat } from '../format/format.ts'
import css from './amount.module.css'

interface Props {
  /** Minor units; null where the reader may not see it, or beyond what numbers can be exact about. */
  minor: number | null
  /** Of the amount; that of the site by default. */
  currency?: string
  /** Whether a gain has its sign. */
  isSigned?: boolean
}

/** An amount of money, with every digit in its tooltip. Nothing is a dash. */
export function Amount({ minor, currency, isSigned }: Props) {
  const format = useFormat()
  if (!minor) return <span className={css.none}>–</span>
  const exact = format.exactMoney(minor, currency)
  const shown = currency === undefined ? format.money(minor) : exact
  return <span title={exact}>{isSigned && minor > 0 ? `+${shown}` : shown}</span>
}
