import type { Inputs } from '../../api/client.ts'
import { type Filter, type FilterName, inputOf } from '../../state/filters.ts'

type ListInput = Inputs['stats']['moneyCustomers']
type FirstVisitName = Exclude<
  keyof ListInput,
  'siteKey' | 'search' | 'status' | 'sort' | 'order' | 'page' | 'per_page'
>

const NAMES = {
  channel: true,
  source: true,
  referrer: true,
  utm_source: true,
  utm_medium: true,
  utm_campaign: true,
  utm_content: true,
  utm_term: true,
  country: true,
  entry_path: true,
} as const satisfies Record<FirstVisitName, true>

const applies = ({ name, operator }: Filter) =>
  Object.hasOwn(NAMES, name) && operator !== 'matches_pattern' && operator !== 'matches_regex'

/** Returns those filters of the page that lists of customers know, which are about the first visit, and the names of the others. */
export function firstVisitFilters(filters: readonly Filter[]): {
  input: Pick<ListInput, FirstVisitName>
  others: FilterName[]
} {
  return {
    input: inputOf(filters.filter(applies)) as Pick<ListInput, FirstVisitName>,
    others: filters.filter(each => !applies(each)).map(({ name }) => name),
  }
}
