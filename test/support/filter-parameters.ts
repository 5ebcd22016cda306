import type { Filters } from './recount-filters.ts'

/** Returns the filters as query parameters. */
export function filterParameters({ goal, ...dimensions }: Filters): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [dimension, conditions] of Object.entries(dimensions)) {
    for (const [operator, values] of Object.entries(conditions)) {
      const name = operator === 'is' ? dimension : `${dimension}[${operator}]`
      for (const value of values) parameters.append(name, value)
    }
  }
  for (const { id } of goal ?? []) parameters.append('goal', id)
  return parameters
}
