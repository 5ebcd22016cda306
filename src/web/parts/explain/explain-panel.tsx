import { useState } from 'react'
import { Link } from 'wouter'
import { api, type Outputs } from '../../api/client.ts'
import { type Failure, failureOf } from '../../api/failure.ts'
import { useStats } from '../../api/use-stats.ts'
import { useFormat } from '../../format/format.ts'
import { useLinks } from '../../state/address.ts'
import { useText } from '../../text/text.tsx'
import { Button } from '../form/button.tsx'
import { Select } from '../form/choices.tsx'
import { HostileText } from '../hostile-text.tsx'
import { Answer, FailureNote } from '../states.tsx'
import css from './explain.module.css'
import type { Explained, ExplainInput } from './explain-button.tsx'

type Explanation = Outputs['stats']['explain']

interface Props {
  ask: Omit<ExplainInput, 'metric'>
  numbers: readonly [Explained, ...Explained[]]
  /** Closes what it stands in when a link is followed. */
  onLeave(): void
}

/** A number with its rule, what it covers, its parts, and the entries behind it. */
export default function ExplainPanel({ ask, numbers, onLeave }: Props) {
  const { explain } = useText()
  const [chosen, setChosen] = useState(numbers[0].metric)
  const number = numbers.find(({ metric }) => metric === chosen) ?? numbers[0]
  const query = { ...ask, metric: number.metric }
  const read = useStats('explain', query, {
    keep: false,
  })
  return (
    <div className={css.panel}>
      {numbers.length > 1 && (
        <Select
          label={explain.metric}
          value={number.metric}
          options={numbers.map(({ metric, name }) => ({ value: metric, label: name }))}
          onChange={setChosen}
        />
      )}
      <Answer read={read}>
        {answer => (
          <>
            <Rule answer={answer} number={number} />
            <ExplainedParts answer={answer} />
            {answer.rows && (
              <ExplainedRows key={number.metric} first={answer.rows} query={query} onLeave={onLeave} />
            )}
          </>
        )}
      </Answer>
    </div>
  )
}

function Rule({ answer, number }: { answer: Explanation; number: Explained }) {
  const { explain } = useText()
  const format = useFormat()
  const { range, rule, details_from: gone } = answer
  const names: Record<string, string> = explain.terms
  // Names of terms as people know them; those that others contain come first.
  const formula = Object.keys(answer.terms)
    .sort((a, b) => b.length - a.length)
    .reduce(
      (text, term) => text.replaceAll(new RegExp(`\\b${term}\\b`, 'g'), names[term] ?? term),
      rule.formula,
    )
  return (
    <>
      <p className={css.number}>
        <strong>{answer.number === null ? (answer.number_exact ?? '–') : number.write(answer.number)}</strong>
        <span>{number.rule}</span>
      </p>
      <dl className={css.facts}>
        <dt>{explain.formula}</dt>
        <dd>{formula}</dd>
        <dt>{explain.covers}</dt>
        <dd title={`${range.start} – ${range.end} UTC`}>
          {format.time(range.start)} – {format.time(range.end)}
          <small>{explain.zone(range.timezone)}</small>
        </dd>
      </dl>
      {gone && <p className={css.note}>{explain.detailsGone(format.date(gone))}</p>}
    </>
  )
}

/** Parts that are listed one by one; earlier ones are one line. */
const MOST = 12

type Values = Explanation['terms']

/** The parts of a number over time. */
function ExplainedParts({ answer }: { answer: Explanation }) {
  const { explain } = useText()
  const format = useFormat()
  const write = useTermText()
  const { terms, before, overlap } = answer
  const names = Object.keys(terms)
  const labels: Record<string, string> = explain.terms
  const buckets = [...answer.buckets].reverse()
  const shown = buckets.slice(0, MOST)
  const others = buckets.slice(MOST)
  const isSome = (values: Values) => Object.values(values).some(value => value !== 0)
  const dateOf = (start: string) => (start.includes('T00:00:00') ? format.date(start) : format.time(start))
  const line = (key: string, label: string, values: Values, sign = '') => (
    <tr key={key}>
      <th scope="row">{label}</th>
      {names.map(name => (
        <td key={name} className={isAmount(name) ? css.money : undefined}>
          {values[name] === undefined ? '' : `${sign}${write(name, values[name])}`}
        </td>
      ))}
    </tr>
  )
  return (
    <>
      <h3>{explain.parts}</h3>
      <div className={css.scroll}>
        <table className={css.table} aria-label={explain.parts}>
          <thead>
            <tr>
              <th scope="col">{explain.part}</th>
              {names.map(name => (
                <th key={name} scope="col">
                  {labels[name] ?? name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ start, values }) => line(start, dateOf(start), values))}
            {others.length > 0 &&
              line('others', explain.otherParts(format.exact(others.length)), sumOf(names, others))}
            {isSome(before) && line('before', explain.before, before)}
            {isSome(overlap) && line('overlap', explain.overlap, overlap, '−')}
          </tbody>
          <tfoot>{line('total', explain.total, terms)}</tfoot>
        </table>
      </div>
    </>
  )
}

const sumOf = (names: string[], parts: { values: Values }[]): Values =>
  Object.fromEntries(
    names.map(name => {
      const sum = parts.reduce((all, { values }) => all + BigInt(values[name] ?? 0), 0n)
      return [name, Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum)]
    }),
  )

type Page = NonNullable<Explanation['rows']>
type Row = Page['data'][number]

interface ExplainedRowsProps {
  first: Page
  query: ExplainInput
  onLeave(): void
}

/** The entries that a number comes from, the newest first, with links to their details. */
function ExplainedRows({ first, query, onLeave }: ExplainedRowsProps) {
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

const AMOUNTS = /revenue|mrr/

/** Returns how values of terms are written: amounts of money, times, or counts. Digits beyond exact numbers come as text. */
function useTermText(): (term: string, value: number | string | undefined) => string {
  const format = useFormat()
  return (term, value) => {
    if (value === undefined || typeof value === 'string') return value ?? ''
    if (AMOUNTS.test(term)) return format.exactMoney(value)
    return term.endsWith('_ms') ? format.duration(value / 1_000) : format.exact(value)
  }
}

const isAmount = (term: string): boolean => AMOUNTS.test(term)
