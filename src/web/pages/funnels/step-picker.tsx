import { type KeyboardEvent, useState } from 'react'
import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { useGoalNames } from '../../filters/use-filter-text.ts'
import { NONE } from '../../filters/value-text.ts'
import { SearchInput } from '../../parts/form/search-input.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useQuestion } from '../../state/site.tsx'
import { usePaused } from '../../state/use-paused.ts'
import { useText } from '../../text/text.tsx'
import { type DraftStep, operatorFor } from './draft.ts'
import css from './step-picker.module.css'

const SHOWN = 8

interface Choice {
  label: string
  step: Partial<DraftStep>
}

/** Goals, pages and events to choose the next step from: one click each. */
export function StepPicker({ onAdd }: { onAdd(step: Partial<DraftStep>): void }) {
  const { funnels: text } = useText()
  const [typed, setTyped] = useState('')
  const search = usePaused(typed.trim())
  const goals = useGoalNames() ?? []
  const pages = useValues('path', search)
  const events = useValues('event_name', search)
  const wanted = search.toLowerCase()
  const groups: { name: keyof typeof text.groups; choices: Choice[] }[] = [
    {
      name: 'pages',
      choices: pages.map(value => ({ label: value, step: { type: 'pageview', operator: 'is', value } })),
    },
    {
      name: 'goals',
      choices: goals
        .filter(({ display_name }) => display_name.toLowerCase().includes(wanted))
        .slice(0, SHOWN)
        .map(({ id, display_name }) => ({ label: display_name, step: { goal: id } })),
    },
    {
      name: 'events',
      choices: events.map(value => ({ label: value, step: { type: 'event', operator: 'is', value } })),
    },
  ]
  const take = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    const value = typed.trim()
    if (value === '') return
    onAdd({ type: value.startsWith('/') ? 'pageview' : 'event', operator: operatorFor(value), value })
    setTyped('')
  }
  return (
    <div className={css.picker}>
      <SearchInput label={text.search} value={typed} onSearch={setTyped} onKeyDown={take} />
      <p className={css.hint}>{text.searchHint}</p>
      <div className={css.groups}>
        {groups
          .filter(({ choices }) => choices.length > 0)
          .map(({ name, choices }) => (
            <section key={name}>
              <h3 className={css.head}>{text.groups[name]}</h3>
              <ul>
                {choices.map(({ label, step }) => (
                  <li key={label}>
                    <button
                      type="button"
                      className={css.choice}
                      aria-label={text.add(label)}
                      onClick={() => {
                        onAdd(step)
                        setTyped('')
                      }}
                    >
                      <span aria-hidden="true">+</span>
                      <HostileText>{label}</HostileText>
                    </button>
                  </li>
                ))}
              </ul>
            </section>
          ))}
      </div>
    </div>
  )
}

/** The most frequent values of the period, whatever the filters. */
function useValues(dimension: 'path' | 'event_name', search: string): string[] {
  const { input } = useQuestion()
  const { siteKey, range, from, to } = input
  const query = {
    siteKey,
    ...(range === undefined ? { from, to } : { range }),
    dimension,
    per_page: SHOWN,
    ...(search !== '' && { search }),
  }
  const read = useRead(['breakdown', query], signal => api.stats.breakdown.query(query, { signal }))
  return (read.data?.data ?? []).map(({ value }) => value).filter(value => value !== NONE)
}
