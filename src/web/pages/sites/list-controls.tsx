import { useEffect, useState } from 'react'
import { useText } from '../../text/text.tsx'
import { LIST_PERIODS, LIST_SORTS, type ListPeriod, type ListSort, type ListView } from './list-view.ts'
import css from './sites.module.css'

const TYPING_MS = 200

/** Search, order and period of the list of sites. */
export function ListControls({ view }: { view: ListView }) {
  const { sites: text } = useText()
  return (
    <>
      <Search view={view} />
      <select
        className={css.select}
        aria-label={text.sort}
        value={view.sort}
        onChange={event => view.setSort(event.target.value as ListSort)}
      >
        {LIST_SORTS.map(sort => (
          <option key={sort} value={sort}>
            {text.sorts[sort]}
          </option>
        ))}
      </select>
      <select
        className={css.select}
        aria-label={text.period}
        value={view.period}
        onChange={event => view.setPeriod(event.target.value as ListPeriod)}
      >
        {LIST_PERIODS.map(period => (
          <option key={period} value={period}>
            {text.periods[period]}
          </option>
        ))}
      </select>
    </>
  )
}

/** Searches when the person has stopped typing. */
function Search({ view }: { view: ListView }) {
  const { sites: text } = useText()
  const [typed, setTyped] = useState(view.search)
  const { search, setSearch } = view
  useEffect(() => setTyped(search), [search])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the timer, not a change of the address
  useEffect(() => {
    if (typed.trim() === search) return
    const timer = setTimeout(() => setSearch(typed.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <input
      type="search"
      className={css.search}
      placeholder={text.search}
      aria-label={text.searchLabel}
      value={typed}
      onChange={event => setTyped(event.target.value)}
    />
  )
}
