import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useFormat } from '../../format/format.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useLinks } from '../../state/kept-search.ts'
import { useText } from '../../text/text.tsx'
import { Amount } from '../../visits/amount.tsx'
import { EventMark } from '../../visits/event-mark.tsx'
import { hasOwnName } from '../../visits/event-types.ts'
import { Properties } from '../../visits/properties.tsx'
import css from './timeline.module.css'
import type { Item } from './timeline.tsx'

export function TimelineEntry({ item }: { item: Item }) {
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
