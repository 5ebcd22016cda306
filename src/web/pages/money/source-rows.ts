import { api, type Outputs } from '../../api/client.ts'
import { type Read, useRead } from '../../api/use-read.ts'
import { NONE, useValueText } from '../../filters/filter-text.ts'
import type { FilterInput } from '../../state/filters.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'

export const DIMENSIONS = ['channel', 'source', 'entry_path', 'utm_campaign', 'country'] as const
export type MoneyDimension = (typeof DIMENSIONS)[number]
type MoneySort = 'mrr' | 'revenue' | 'new_customers'

type MoneyRow = Outputs['stats']['moneyBreakdown']['data'][number]

/** Money of a value with its visitors. Null is an amount that is too large for a number. */
export interface SourceRow {
  value: string
  visitors: number
  new_customers: number
  revenue: number | null
  mrr: number | null
  /** Change of MRR for 1,000 visitors; null without visitors. */
  mrr_per_thousand: number | null
}

interface SourceRows {
  rows: SourceRow[]
  /** Number of values with money; the first 100 are here. */
  total: number
}

const MOST = 100

/**
 * Reads the values of a dimension that have money, with their visitors, and the values with the most visitors that have none.
 * @param sort what decides which values are read where there are more
 */
export function useMoneyRows(dimension: MoneyDimension, sort: MoneySort): Read<SourceRows> {
  const { input } = useQuestion()
  return useRead(['moneyRows', dimension, sort, input], async signal => {
    const query = { ...input, dimension, per_page: MOST }
    const [money, visited] = await Promise.all([
      api.stats.moneyBreakdown.query({ ...query, sort }, { signal }),
      api.stats.breakdown.query(query, { signal }),
    ])
    const visitors = new Map(visited.data.map(row => [row.value, row.visitors]))
    const missing = money.data.map(({ value }) => value).filter(value => !visitors.has(value))
    if (missing.length > 0 && visited.meta.total > visited.data.length) {
      const own = input[dimension] as Exclude<FilterInput[MoneyDimension], string | string[]>
      const only = { ...query, [dimension]: { ...own, is: missing } }
      const found = await api.stats.breakdown.query(only, { signal })
      for (const row of found.data) visitors.set(row.value, row.visitors)
    }
    // If not all values with money are here, a value that is missing among them may have some.
    const isWhole = money.meta.total <= money.data.length
    const named = new Set(money.data.map(({ value }) => value))
    const others = isWhole ? visited.data.filter(({ value }) => !named.has(value)) : []
    return {
      total: money.meta.total,
      rows: [
        ...money.data.map(row => rowOf(row, visitors.get(row.value) ?? 0)),
        ...others.map(({ value, visitors: count }) => rowOf({ ...NO_MONEY, value }, count)),
      ],
    }
  })
}

const NO_MONEY: Omit<MoneyRow, 'value'> = { revenue: 0, mrr: 0, payments: 0, customers: 0, new_customers: 0 }

const rowOf = ({ value, new_customers, revenue, mrr }: MoneyRow, visitors: number): SourceRow => ({
  value,
  visitors,
  new_customers,
  revenue,
  mrr,
  mrr_per_thousand: visitors === 0 || mrr === null ? null : Math.round((1_000 * mrr) / visitors),
})

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
