import { type KeyboardEvent, useState } from 'react'
import { useStats } from '../../api/use-stats.ts'
import { NONE } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { SearchInput } from '../../parts/form/choices.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { Popover } from '../../parts/overlay/popover.tsx'
import { Answer } from '../../parts/states.tsx'
import { useQuestion } from '../../state/site.tsx'
import { usePaused } from '../../state/use-paused.ts'
import { useText } from '../../text/text.tsx'
import css from './journeys.module.css'
import type { Journeys } from './layout.ts'

const SHOWN = 30

interface Props {
  by: Journeys['by']
  value: string | undefined
  onChoose(value: string): void
}

/** Chooses the value that is followed, with a search. */
export function ValuePicker({ by, value, onChoose }: Props) {
  const { journeys: text } = useText()
  return (
    <Popover
      label={text.choose}
      button={{ className: css.button }}
      trigger={
        <>
          {value === undefined ? text.choose : <HostileText>{value}</HostileText>}
          <span aria-hidden="true">▾</span>
        </>
      }
    >
      {close => (
        <Values
          by={by}
          onChoose={next => {
            onChoose(next)
            close()
          }}
        />
      )}
    </Popover>
  )
}

/** The most frequent values of the period; with a search those that contain it. */
export function useFrequentValues(by: Journeys['by'], search: string) {
  const { input } = useQuestion()
  const query = { ...input, dimension: by, per_page: SHOWN, ...(search !== '' && { search }) }
  return useStats('breakdown', query)
}

function Values({ by, onChoose }: Pick<Props, 'by' | 'onChoose'>) {
  const { journeys: text } = useText()
  const { exact } = useFormat()
  const [typed, setTyped] = useState('')
  const read = useFrequentValues(by, usePaused(typed.trim()))
  const take = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || typed.trim() === '') return
    event.preventDefault()
    onChoose(typed.trim())
  }
  return (
    <div className={css.values}>
      <SearchInput label={text.search} value={typed} onSearch={setTyped} onKeyDown={take} />
      <Answer read={read}>
        {({ data }) => {
          const rows = data.filter(row => row.value !== NONE)
          if (rows.length === 0) return <p className={css.none}>{text.noValues}</p>
          return (
            <ul className={css.list}>
              {rows.map(row => (
                <li key={row.value}>
                  <button type="button" className={css.row} onClick={() => onChoose(row.value)}>
                    <HostileText>{row.value}</HostileText>
                    <span>{exact(row.sessions)}</span>
                  </button>
                </li>
              ))}
            </ul>
          )
        }}
      </Answer>
    </div>
  )
}
