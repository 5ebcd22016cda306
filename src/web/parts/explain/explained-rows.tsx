import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import { type Failure, failureOf } from '../../api/failure.ts'
import { useFormat } from '../../format/format.ts'
import { useLinks } from '../../state/kept-search.ts'
import { useText } from '../../text/text.tsx'
import { Button } from '../form/button.tsx'
import { HostileText } from '../hostile-text.tsx'
import { FailureNote } from '../states.tsx'
import type { ExplainInput } from './explain-button.tsx'
import css from './explain-panel.module.css'
import type { Explanation } from './explain-panel.tsx'
import { useTermText } from './term-text.ts'

type Page = NonNullable<Explanation['rows']>
type Row = Page['data'][number]

interface Props {
  first: Page
  query: ExplainInput
  onLeave(): void
}

/** The entries that a number comes from, the newest first, with links to their details. */
export function ExplainedRows({ first, query, onLeave }: Props) {
  const { explain } = useText()
  const [more, setMore] = useState<{ data: Row[]; cursor: string | null }>()
  const [state, setState] = useState<'ready' | 'busy' | Failure>('ready')
  const rows = more ? [...first.data, ...more.data] : first.data
  const cursor = more ? more.cursor : first.next_cursor
  const load = async () => {
    setState('busy')
    try {
      const { rows: next } = await api.stats.explain.query({ ...query, cursor: cursor! })
      setMore({ data: [...(more?.data ?? []), ...(next?.data ?? [])], cursor: next?.next_cursor ?? null })
      setState('ready')
    } catch (error) {
      setState(failureOf(error))
    }
  }
  return (
    <section>
      <h3>{explain.rows[first.kind]}</h3>
      {rows.length === 0 && <p className={css.note}>{explain.noRows}</p>}
      <ul className={css.rows}>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows, and ids may be hidden
          <Entry key={index} row={row} kind={first.kind} onLeave={onLeave} />
        ))}
      </ul>
      {typeof state === 'object' && <FailureNote failure={state} again={load} />}
      {cursor && typeof state !== 'object' && (
        <Button kind="quiet" isBusy={state === 'busy'} onClick={load}>
          {explain.more}
        </Button>
      )}
    </section>
  )
}

function Entry({ row, kind, onLeave }: { row: Row; kind: Page['kind']; onLeave(): void }) {
  const { explain } = useText()
  const format = useFormat()
  const linkTo = useLinks()
  const write = useTermText()
  const labels: Record<string, string> = explain.terms
  const path = pathOf(row, kind)
  const id = row.customer ?? row.subscription_id ?? (kind === 'session' ? null : row.id)
  return (
    <li>
      {path ? (
        <Link href={linkTo(path)} onClick={onLeave}>
          {format.time(row.at)}
        </Link>
      ) : (
        <span>{format.time(row.at)}</span>
      )}
      {id && <HostileText>{id}</HostileText>}
      <small>
        {Object.entries(row.values)
          .filter(([, value]) => value !== 0)
          .map(([name, value]) => `${labels[name] ?? name} ${write(name, value)}`)
          .join(', ')}
        {row.includes_tax && ` · ${explain.includesTax}`}
      </small>
    </li>
  )
}

function pathOf(row: Row, kind: Page['kind']): string | undefined {
  if (row.session_id) return `/sessions/${row.session_id}`
  if (kind === 'visitor' && row.id) return `/people/${encodeURIComponent(row.id)}`
  if (row.customer) return `/money/customers/${encodeURIComponent(row.customer)}`
  return undefined
}
