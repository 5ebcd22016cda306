import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { useStats } from '../../api/use-stats.ts'
import { Card } from '../../parts/card.tsx'
import { Button } from '../../parts/form/button.tsx'
import { List } from '../../parts/lists/list.tsx'
import { Empty, FailureNote } from '../../parts/states.tsx'
import { useAddress, usePage } from '../../state/address.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { EventGoals } from './event-goals.tsx'
import { GoalEditor } from './goal-editor.tsx'
import { GoalTable } from './goal-table.tsx'
import type { Goal } from './goal-types.ts'
import css from './goals.module.css'

const PER_PAGE = 50

type Shown = { kind: 'editor'; goal?: Goal } | { kind: 'events' }

/** The goals of the site with their conversions in the period. */
export default function Goals() {
  const { goals: text } = useText()
  const { id, mayChange } = useSite()
  const { input } = useQuestion()
  const { params, change } = useAddress()
  const [shown, setShown] = useState<Shown>()
  const [page, onPage] = usePage()
  const search = params.get('search') ?? ''
  const goals = useRead(['goals', id, 'list', page, search], signal =>
    api.goals.list.query({ siteKey: id, page, per_page: PER_PAGE, ...(search && { search }) }, { signal }),
  )
  const report = useStats('goals', input)
  const close = () => setShown(undefined)
  const isSearched = search !== '' || (goals.data?.meta.last_page ?? 1) > 1
  return (
    <>
      <div className={css.bar}>
        <h1>{text.title}</h1>
        <span className={css.grow} />
        {mayChange && <Button onClick={() => setShown({ kind: 'events' })}>{text.fromEvents}</Button>}
        {mayChange && (
          <Button kind="main" onClick={() => setShown({ kind: 'editor' })}>
            {text.create}
          </Button>
        )}
      </div>
      <Card label={text.title}>
        {isSearched && (
          <Search
            value={search}
            onChange={next => change({ search: next || null, page: null }, { replace: true })}
          />
        )}
        {report.failure && <FailureNote failure={report.failure} again={report.again} />}
        <List
          read={goals}
          empty={<Empty title={search ? text.noMatch : text.none}>{!search && <p>{text.noneHint}</p>}</Empty>}
          onPage={onPage}
        >
          {rows => (
            <GoalTable
              goals={rows}
              rows={report.failure ? undefined : report.data}
              onEdit={goal => setShown({ kind: 'editor', goal })}
            />
          )}
        </List>
      </Card>
      {shown?.kind === 'editor' && <GoalEditor {...(shown.goal && { goal: shown.goal })} onClose={close} />}
      {shown?.kind === 'events' && <EventGoals onClose={close} />}
    </>
  )
}

function Search({ value, onChange }: { value: string; onChange(value: string): void }) {
  const { common } = useText()
  return (
    <input
      type="search"
      className={css.search}
      aria-label={common.actions.search}
      placeholder={common.actions.search}
      defaultValue={value}
      onChange={event => onChange(event.target.value)}
    />
  )
}
