import { NONE, useValueText } from '../../filters/value-text.ts'
import { useText } from '../../text/text.tsx'
import type { MoneyDimension } from './use-money-rows.ts'

/** Every session has them: money without them belongs to no session. */
const OF_EVERY_SESSION: readonly MoneyDimension[] = ['channel', 'source', 'entry_path']

export const isUnattributed = (dimension: MoneyDimension, value: string): boolean =>
  value === NONE && OF_EVERY_SESSION.includes(dimension)

/** Returns how a value is called; money that belongs to no visit is named so. */
export function useSourceName(): (dimension: MoneyDimension, value: string) => string {
  const { sources: text } = useText().money
  const valueText = useValueText()
  return (dimension, value) =>
    isUnattributed(dimension, value) ? text.unattributed : valueText(dimension, value)
}
