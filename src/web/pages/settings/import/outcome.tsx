import type { Outputs } from '../../../api/client.ts'
import { useFormat } from '../../../format/format.ts'
import { HostileText } from '../../../parts/hostile-text.tsx'
import { useText } from '../../../text/text.tsx'
import css from '../settings.module.css'

type Outcome = NonNullable<Outputs['imports']['get']['result']>

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, count) => all + count, 0)

/** What a dry run found, or what an import brought. */
export function Outcome({ outcome }: { outcome: Outcome }) {
  const { imports: text } = useText()
  const { exact, date } = useFormat()
  const {
    period,
    hits,
    visitors,
    accepted,
    repeated,
    dropped,
    left = [],
    rejected = [],
    counts = {},
  } = outcome
  const { collect: pageviews = 0, event: events = 0, ...others } = hits ?? {}
  const rows: [string, string | undefined][] = [
    [text.period, period ? `${date(period.from)} – ${date(period.to)}` : undefined],
    [text.pageviews, hits && exact(pageviews)],
    [text.events, hits && exact(events)],
    [text.others, sum(others) > 0 ? exact(sum(others)) : undefined],
    [text.visitors, visitors === undefined ? undefined : exact(visitors)],
    [text.states.done, hits || accepted === undefined ? undefined : exact(accepted)],
    [text.repeated, repeated ? exact(repeated) : undefined],
    [text.dropped, dropped ? exact(dropped) : undefined],
    ...Object.entries(counts).map(([name, value]): [string, string] => [name, exact(value)]),
  ]
  return (
    <>
      <dl className={css.numbers}>
        {rows.map(
          ([name, value]) =>
            value !== undefined && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <Reasons
        title={text.left}
        reasons={left.map(({ reason, rows: count, lines }) => ({ reason, count, lines }))}
      />
      <Reasons
        title={text.rejected}
        reasons={rejected.map(({ reason, hits: count }) => ({ reason, count }))}
      />
    </>
  )
}

interface Reason {
  reason: string
  count: number
  /** The first lines of the file that have it. */
  lines?: number[] | undefined
}

function Reasons({ title, reasons }: { title: string; reasons: Reason[] }) {
  const { imports: text } = useText()
  const { exact } = useFormat()
  if (reasons.length === 0) return null
  const total = reasons.reduce((all, { count }) => all + count, 0)
  return (
    <details className={css.reasons}>
      <summary>
        {title}: {text.rows(exact(total))}
      </summary>
      <ul>
        {reasons.map(({ reason, count, lines = [] }) => (
          <li key={reason}>
            <HostileText>{reason}</HostileText> <span>{exact(count)}</span>
            {lines.length > 0 && (
              <small>{text.lines(lines.map(exact).join(', '), count > lines.length)}</small>
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}
