import { Suspense, useState } from 'react'
import { FilterSummary } from '../../../filters/filter-summary.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { lazyPart } from '../../../parts/lazy-part.ts'
import { type Filter, type FilterName, hasOperators, parameterOf } from '../../../state/filters.ts'
import { useText } from '../../../text/text.tsx'
import css from './share-form.module.css'

const FilterEditor = lazyPart(() => import('../../../filters/filter-editor.tsx'))

/** A share narrows by dimensions alone. */
const isDimension = (name: FilterName) => hasOperators(name) && name !== 'prop_key' && name !== 'prop_value'

interface Props {
  filters: readonly Filter[]
  onChange(filters: readonly Filter[]): void
}

/** Edits the filters that apply to everything a share shows. */
export function FilterRows({ filters, onChange }: Props) {
  const { settings: text } = useText()
  const [isAdding, setAdding] = useState(false)
  const add = (filter: Filter) => {
    const others = filters.filter(each => parameterOf(each) !== parameterOf(filter))
    onChange([...others, filter])
    setAdding(false)
  }
  return (
    <fieldset className={css.group}>
      <legend>{text.fixedFilters}</legend>
      <p className={css.hint}>{text.fixedFiltersHint}</p>
      <FilterSummary
        filters={filters}
        onRemove={removed => onChange(filters.filter(each => each !== removed))}
      />
      {isAdding ? (
        <Suspense>
          <div className={css.editor}>
            <FilterEditor only={isDimension} onApply={add} />
          </div>
        </Suspense>
      ) : (
        <div>
          <Button onClick={() => setAdding(true)}>{text.addFilter}</Button>
        </div>
      )}
    </fieldset>
  )
}
