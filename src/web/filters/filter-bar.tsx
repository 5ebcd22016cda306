import { Suspense, useState } from 'react'
import { Button, IconButton } from '../parts/form/button.tsx'
import { lazyPart } from '../parts/lazy-part.ts'
import { Menu } from '../parts/overlay/menu.tsx'
import { Popover } from '../parts/overlay/popover.tsx'
import { type Filter, parameterOf } from '../state/filters.ts'
import { useQuestion, useSite } from '../state/site.tsx'
import { useText } from '../text/text.tsx'
import { useFilterText, useSegments } from './filter-text.ts'
import css from './filters.module.css'

const FilterEditor = lazyPart(() => import('./filter-editor.tsx'))
const SaveSegment = lazyPart(() => import('./save-segment.tsx'))

/** The filters of the page as chips, each with its operator and values, and buttons for more. */
export function FilterBar() {
  const { filters: text } = useText()
  const { mayChange } = useSite()
  const { filters, setFilters } = useQuestion()
  const [isSaving, setSaving] = useState(false)
  const textOf = useFilterText(filters)
  const replace = (filter: Filter, next: Filter | undefined) =>
    setFilters(filters.flatMap(each => (each === filter ? (next ? [next] : []) : [each])))
  return (
    <section className={css.bar} aria-label={text.label}>
      {filters.map(filter => {
        const { head, values } = textOf(filter)
        const what = `${head} ${values}`
        return (
          <span key={parameterOf(filter)} className={css.chip}>
            <Popover
              label={text.change(what)}
              button={{ kind: 'quiet', className: css.text, title: filter.values.join(', ').slice(0, 500) }}
              trigger={
                <>
                  <span className={css.head}>{head}</span>
                  <bdi className={css.values}>{values}</bdi>
                </>
              }
            >
              {close => (
                <Suspense>
                  <FilterEditor
                    filter={filter}
                    onApply={next => {
                      replace(filter, next)
                      close()
                    }}
                  />
                </Suspense>
              )}
            </Popover>
            <IconButton
              className={css.remove}
              label={text.remove(what)}
              onClick={() => replace(filter, undefined)}
            >
              ×
            </IconButton>
          </span>
        )
      })}
      <AddFilter />
      <Segments />
      {filters.length > 0 && mayChange && (
        <Button kind="quiet" onClick={() => setSaving(true)}>
          {text.saveSegment}
        </Button>
      )}
      {filters.length > 1 && (
        <Button kind="quiet" onClick={() => setFilters([])}>
          {text.clearAll}
        </Button>
      )}
      <Suspense>{isSaving && <SaveSegment filters={filters} onClose={() => setSaving(false)} />}</Suspense>
    </section>
  )
}

function AddFilter() {
  const { filters: text } = useText()
  const { addFilter } = useQuestion()
  return (
    <Popover label={text.choose} button={{ kind: 'quiet' }} trigger={`+ ${text.add}`}>
      {close => (
        <Suspense>
          <FilterEditor
            onApply={filter => {
              addFilter(filter)
              close()
            }}
          />
        </Suspense>
      )}
    </Popover>
  )
}

/** Saved filters to choose from. */
function Segments() {
  const { filters: text } = useText()
  const { addFilter } = useQuestion()
  const segments = useSegments() ?? []
  if (segments.length === 0) return null
  return (
    <Menu
      trigger={`${text.names.segment} ▾`}
      label={text.names.segment}
      button={{ kind: 'quiet' }}
      entries={segments.map(({ id, name }) => ({
        name: id,
        label: name,
        onChoose: () => addFilter({ name: 'segment', operator: 'is', values: [id] }),
      }))}
    />
  )
}
