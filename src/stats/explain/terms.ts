import { withoutGoal } from '../filters/resolved-query.ts'
import type { TermName } from './explanation.ts'
import { explainPaying, explainPayments, explainRecurring, explainValueMoney } from './money-terms.ts'
import type { Explained, Term } from './parts.ts'
import { COUNT_OF, explainConverting, explainTraffic } from './traffic-terms.ts'

type Found = Partial<Record<TermName, Term>>

/** Reads terms that are read together. */
type Reader = (explained: Explained) => Promise<Found>

/** Returns what is explained without the goal filter, which says who converted, and not whose sessions count. */
export const withoutGoals = (explained: Explained): Explained => ({
  ...explained,
  resolved: withoutGoal(explained.resolved),
})

const readOthers: Reader = async explained => {
  const { visitors } = await explainTraffic(withoutGoals(explained))
  return { all_visitors: visitors }
}

const readConverting: Reader = async explained => {
  const found = explained.of.dimension === undefined ? withoutGoals(explained) : explained
  return { converting_visitors: await explainConverting(found, explained.targets) }
}

const readPaying: Reader = async explained => ({ paying_customers: await explainPaying(explained) })

const OF_PAYMENTS: readonly TermName[] = ['revenue', 'recurring_revenue', 'payments', 'new_customers']

function readerOf(term: TermName, { of }: Explained): Reader {
  if (term in COUNT_OF) return explainTraffic
  if (term === 'all_visitors') return readOthers
  if (term === 'converting_visitors') return readConverting
  if (term === 'paying_customers') return readPaying
  if (of.dimension !== undefined) return explainValueMoney
  return OF_PAYMENTS.includes(term) ? explainPayments : explainRecurring
}

/** Returns the terms of a metric, in their order. */
export async function readTerms(
  explained: Explained,
  names: readonly TermName[],
): Promise<Map<TermName, Term>> {
  const readers = [...new Set(names.map(name => readerOf(name, explained)))]
  const found = await Promise.all(readers.map(read => read(explained)))
  const all: Found = Object.assign({}, ...found)
  return new Map(names.map(name => [name, all[name]!]))
}
