import type { View } from '../../../storage/columns/block.ts'
import type { Question } from '../question.ts'
import { type Selected, select } from './select.ts'

/** Which money counts. */
interface SelectedMoney {
  /** What of the blocks of sessions counts. */
  blocks: Selected[]
  /** Positions of the payments in the range, and of the MRR movements before its end. */
  rows: number[]
}

/**
 * Selects the money in a currency whose session passes the filters (docs/metrics.md "Filters"). Money without a session counts as one
 * whose values are all empty, and never matches filters on hits and goals.
 * @throws CountRefused
 */
export function selectMoney(view: View, question: Question, currency: string): SelectedMoney {
  const { money } = view
  const blocks = select({ ...view, blocks: [...view.blocks, money.copies] }, question)
  const { counts } = blocks.pop()!
  const wanted = view.texts.of('currency').find(currency)
  const rows: number[] = []
  for (let row = 0; row < money.count; row++) {
    if (money.currency[row] !== wanted || counts[money.session[row]!] === 0) continue
    const at = money.at[row]!
    if (at < question.end && (at >= question.start || !isPayment(view, row))) rows.push(row)
  }
  return { blocks, rows }
}

/** Whether a row of money is a payment and not a movement. */
export const isPayment = ({ money }: View, row: number): boolean => money.subscription[row] === 0
