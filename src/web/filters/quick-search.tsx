import { useEffect, useState } from 'react'
import type { Inputs, Section } from '../api/client.ts'
import { useStats } from '../api/use-stats.ts'
import { useFormat } from '../format/format.ts'
import { SearchInput } from '../parts/form/choices.tsx'
import { HostileText } from '../parts/hostile-text.tsx'
import { Dialog } from '../parts/overlay/dialog.tsx'
import { FILTERS, type FilterName } from '../state/filters.ts'
import { useQuestion, useSite } from '../state/site.tsx'
import { usePaused } from '../state/use-paused.ts'
import { useText } from '../text/text.tsx'
import { NONE, useValueText } from './filter-text.ts'
import css from './filters.module.css'

type Dimension = Inputs['stats']['breakdown']['dimension'] & FilterName

const SEARCHED: readonly Dimension[] = ['path', 'title', 'source', 'utm_campaign', 'country', 'event_name']
const SHOWN = 5
const SHORTEST = 2

/** Searches values of several dimensions at once; the one that is chosen becomes a filter. */
export default function QuickSearch({ onClose }: { onClose(): void }) {
  const { keys, filters } = useText()
  const { can } = useSite()
  const [typed, setTyped] = useState('')
  const [found, setFound] = useState<{ [Name in Dimension]?: number | undefined }>({})
  const searched = SEARCHED.filter(name => can(FILTERS[name] as Section))
  const wanted = usePaused(typed.trim())
  return (
    <Dialog open title={keys.search} onClose={onClose}>
      <SearchInput label={keys.searchLabel} value={typed} onSearch={setTyped} />
      {wanted.length >= SHORTEST &&
        searched.map(name => (
          <Matches
            key={name}
            name={name}
            wanted={wanted}
            onChoose={onClose}
            onFound={number => setFound(before => ({ ...before, [name]: number }))}
          />
        ))}
      <p role="status">
        {wanted.length >= SHORTEST && searched.every(name => found[name] === 0) && filters.noValues}
      </p>
    </Dialog>
  )
}

interface MatchesProps {
  name: Dimension
  wanted: string
  onChoose(): void
  /** Gets how many values there are; undefined while that is not known. */
  onFound(number: number | undefined): void
}

function Matches({ name, wanted, onChoose, onFound }: MatchesProps) {
  const { filters: text } = useText()
  const { input, addFilter } = useQuestion()
  const { exact } = useFormat()
  const valueText = useValueText()
  // Countries are codes there: they are few, and searched here by their names.
  const isCountry = name === 'country'
  const query = {
    ...input,
    dimension: name,
    ...(isCountry ? { per_page: 100 } : { search: wanted, per_page: SHOWN }),
  }
  const found = useStats('breakdown', query)
  const rows = (found.data?.data ?? [])
    .filter(({ value }) => value !== NONE)
    .filter(({ value }) => !isCountry || valueText(name, value).toLowerCase().includes(wanted.toLowerCase()))
    .slice(0, SHOWN)
  const number = found.data && !found.isOld ? rows.length : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callback is a new one each time, with the same effect
  useEffect(() => onFound(number), [number])
  if (rows.length === 0) return null
  return (
    <section className={css.group}>
      <h3>{text.names[name]}</h3>
      <ul>
        {rows.map(({ value, visitors }) => (
          <li key={value}>
            <button
              type="button"
              className={css.row}
              onClick={() => {
                addFilter({ name, operator: 'is', values: [value] })
                onChoose()
              }}
            >
              <HostileText>{valueText(name, value)}</HostileText>
              <span>{exact(visitors)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
