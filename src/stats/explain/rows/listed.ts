import type { ListKey } from '../../counts/shared/key-page.ts'
import type { TermName } from '../explanation.ts'
import { type ExplainedRow, presentAmount } from '../explanation-answer.ts'
import type { Explained } from '../parts.ts'

/** A row, and where the list continues behind it. */
export interface Listed {
  key: ListKey
  row: ExplainedRow
}

/** Which rows are listed. */
export interface Wanted extends Explained {
  terms: readonly TermName[]
  /** Time span of the number, or of one bucket of it. */
  span: { start: Date; end: Date }
  after: ListKey | undefined
  limit: number
  /** Whether the reader may see ids of payments. */
  seesPayments: boolean
  detailsFrom: Date | null
}

const NOTHING = {
  session_id: null,
  visitor_id: null,
  subscription_id: null,
  customer: null,
  includes_tax: null,
  kind: null,
}

export const listedRow = (
  { at, id }: ListKey,
  row: Pick<ExplainedRow, 'id' | 'values'> & Partial<ExplainedRow>,
): Listed => ({
  key: { at, id },
  row: { ...NOTHING, at: new Date(at).toISOString(), ...row },
})

/** Values of the terms that a row knows of. */
export const valuesOf = (
  terms: readonly TermName[],
  amounts: Partial<Record<TermName, bigint>>,
): ExplainedRow['values'] =>
  Object.fromEntries(
    terms.flatMap(term => (amounts[term] === undefined ? [] : [[term, presentAmount(amounts[term])]])),
  )
