import { FilterSummary, filtersOf, type StoredFilters } from '../../filters/filter-summary.tsx'
import { useText } from '../../text/text.tsx'
import css from './fixed-filters.module.css'

/** Says by what a share narrows all numbers. */
export function FixedFilters({ filters }: { filters: StoredFilters }) {
  const { share: text } = useText()
  return (
    <div className={css.line}>
      <span>{text.narrowed}</span>
      <FilterSummary filters={filtersOf(filters)} />
    </div>
  )
}
