import type { Outputs } from '../../api/types.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import { type FilterName, OPERATORS, type Operator } from '../../state/filters.ts'
import { useText } from '../../text/text.tsx'
import css from './filter-summary.module.css'

export type StoredFilters = Outputs['segments']['list'][number]['filters']

/** A condition of filters that are kept. */
export interface StoredCondition {
  name: FilterName
  operator: Operator
  values: string[]
}

/** Returns the conditions of filters in the forms that the API has: a value, values, or values by operator. */
export function conditionsOf(filters: StoredFilters): StoredCondition[] {
  return Object.entries(filters).flatMap(([given, condition]) => {
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

/** Filters in words. */
export function FilterSummary({ filters }: { filters: StoredFilters }) {
  const { filters: text } = useText()
  return (
    <ul className={css.list}>
      {conditionsOf(filters).map(({ name, operator, values }) => (
        <li key={`${name} ${operator}`} className={css.chip}>
          <span>{text.names[name]}</span> <em>{text.operators[operator]}</em>{' '}
          <b>
            <HostileText>{values.join(` ${text.or} `)}</HostileText>
          </b>
        </li>
      ))}
    </ul>
  )
}
