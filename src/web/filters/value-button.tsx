import { HostileText } from '../parts/hostile-text.tsx'
import type { FilterName } from '../state/filters.ts'
import { useQuestion } from '../state/site.tsx'
import { useText } from '../text/text.tsx'
import { useValueText } from './filter-text.ts'
import css from './filters.module.css'

interface Props {
  name: FilterName
  value: string
  /** Something further that comes with the filter. */
  onFilter?(): void
}

/** A value in a table: a click filters by it. */
export function ValueButton({ name, value, onFilter }: Props) {
  const { overview } = useText()
  const { addFilter } = useQuestion()
  const shown = useValueText()(name, value)
  return (
    <button
      type="button"
      className={css.valueButton}
      aria-label={overview.filterBy(shown)}
      onClick={() => {
        addFilter({ name, operator: 'is', values: [value] })
        onFilter?.()
      }}
    >
      <HostileText>{shown}</HostileText>
    </button>
  )
}
