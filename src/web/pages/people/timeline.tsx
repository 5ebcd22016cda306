import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Outputs } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { type Format, useFormat } from '../../format/format.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import { List } from '../../parts/lists/list.tsx'
import { useLinks, usePage } from '../../state/address.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Amount } from '../../visits/cells.tsx'
import { EventMark, hasOwnName } from '../../visits/event-mark.tsx'
import { Properties } from '../../visits/properties.tsx'
import css from './timeline.module.css'

type Item = Outputs['stats']['timeline']['data'][number]

/** What a person did, day by day, the newest first. */
export function Timeline({ person }: { person: string }) {
  const { input } = useQuestion()
  const format = useFormat()
  const [page, onPage] = usePage()
  const read = useStats('timeline', { ...input, person, page })
  return (
    <List read={read} onPage={onPage}>
      {rows =>
        byDay(rows, format).map(([day, items]) => (
          <section key={day} aria-label={day}>
            <h3 className={css.day}>{day}</h3>
            <ol className={css.items}>
              {items.map((item, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: items have no names of their own
                <TimelineEntry key={index} item={item} />
              ))}
            </ol>
          </section>
        ))
      }
    </List>
  )
}

function byDay(items: readonly Item[], format: Format): [day: string, items: Item[]][] {
  const days = new Map<string, Item[]>()
  for (const item of items) {
    const day = format.bucket(item.timestamp, 'day')
    days.set(day, [...(days.get(day) ?? []), item])
  }
  return [...days]
}

function TimelineEntry({ item }: { item: Item }) {
  const format = useFormat()
  const isMoney = item.kind === 'payment' || item.kind === 'mrr'
  return (
    <li className={css.item}>
      <time className={css.time} dateTime={item.timestamp} title={format.time(item.timestamp)}>
        {format.clock(item.timestamp)}
      </time>
      <span className={isMoney ? `${css.dot} ${css.money}` : css.dot} data-kind={item.kind} />
      <div className={css.what}>{CONTENTS[item.kind](item)}</div>
    </li>
  )
}

const CONTENTS: Record<Item['kind'], (item: Item) => ReactNode> = {
  session: item => <Visit item={item} />,
  identity: item => <Identity item={item} />,
  event: item => <Event item={item} />,
  payment: item => <Money item={item} />,
  mrr: item => <Money item={item} />,
}

function Visit({ item }: { item: Item }) {
  const { people } = useText()
  const format = useFormat()
  const linkTo = useLinks()
  const pages = people.pageviews(format.exact(item.pageviews ?? 0))
  return (
    <>
      <Link href={linkTo(`/sessions/${item.session_id}`)} className={css.visit}>
        {people.kinds.session}
      </Link>
      {item.source !== '' && <HostileText>{item.source}</HostileText>}
      {item.path !== '' && <HostileText>{`→ ${item.path}`}</HostileText>}
      <span className={css.quiet}>{people.viewed(pages, format.duration(item.duration_seconds ?? 0))}</span>
    </>
  )
}

function Identity({ item }: { item: Item }) {
  const { people } = useText()
  return (
    <>
      {people.kinds.identity}
      <code>
        <HostileText>{item.user_id}</HostileText>
      </code>
    </>
  )
}

function Event({ item }: { item: Item }) {
  const type = item.event_type ?? 'event'
  return (
    <>
      <EventMark type={type} />
      {hasOwnName(type) && (
        <strong className={css.name}>
          <HostileText>{item.name}</HostileText>
        </strong>
      )}
      <span className={css.path}>
        <HostileText>{item.path}</HostileText>
      </span>
      <Properties of={item.properties} event={item.name} />
    </>
  )
}

function Money({ item: { kind, name, amount, currency } }: { item: Item }) {
  const { people } = useText()
  const movements: Record<string, string | undefined> = people.movements
  return (
    <>
      {kind === 'payment' ? people.kinds.payment : (movements[name] ?? name)}
      <strong className={css.amount}>
        <Amount minor={amount} currency={currency} isSigned />
      </strong>
      {kind === 'mrr' && <span className={css.quiet}>{people.kinds.mrr}</span>}
    </>
  )
}
