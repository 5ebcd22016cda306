import type { Outputs } from '../api/client.ts'
import { IconButton } from '../parts/form/button.tsx'
import { HostileText } from '../parts/hostile-text.tsx'
import { type Filter, type FilterName, OPERATORS, type Operator, parameterOf } from '../state/filters.ts'
import { useText } from '../text/text.tsx'
import { useFilterText } from './filter-text.ts'
import css from './filters.module.css'

export type StoredFilters = Outputs['segments']['list'][number]['filters']

/** Returns the filters that are kept in the forms that the API has: a value, values, or values by operator. */
export function filtersOf(stored: StoredFilters): Filter[] {
  return Object.entries(stored).flatMap(([given, condition]) => {
    const name = given as FilterName
    if (typeof condition === 'string' || Array.isArray(condition)) {
      return [{ name, operator: 'is' as const, values: [condition].flat() }]
    }
    return OPERATORS.flatMap(operator => {
      const values = (condition as Partial<Record<Operator, string | string[]>>)[operator]
      return values === undefined ? [] : [{ name, operator, values: [values].flat() }]
    })
  })
}

interface Props {
  filters: readonly Filter[]
  onRemove?(filter: Filter): void
}

/** Filters in words. */
export function FilterSummary({ filters, onRemove }: Props) {
  const { filters: text } = useText()
  const textOf = useFilterText(filters)
  if (filters.length === 0) return null
  return (
    <ul className={css.list}>
      {filters.map(filter => {
        const { head, values } = textOf(filter)
        return (
          <li key={parameterOf(filter)} className={css.filterSummaryChip}>
            <span className={css.filterSummaryHead}>{head}</span>
            <b>
              <HostileText>{values}</HostileText>
            </b>
            {onRemove && (
              <IconButton label={text.remove(`${head} ${values}`)} onClick={() => onRemove(filter)}>
                ×
              </IconButton>
            )}
          </li>
        )
      })}
    </ul>
  )
}
