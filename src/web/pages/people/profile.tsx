import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Outputs } from '../../api/client.ts'
import { useValueText } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { type NamedNumber, NumberList } from '../../parts/figures.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useLinks } from '../../state/address.ts'
import { partOfPath } from '../../state/places.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Moment, Place, useDeviceText } from '../../visits/cells.tsx'
import { Properties } from '../../visits/properties.tsx'
import { Avatar } from '../../visits/who.tsx'
import css from './people.module.css'

type Person = Outputs['stats']['person']

/** Picture and name of a person, and where they are; at the right what can be done. */
export function Profile({ person, children }: { person: Person; children: ReactNode }) {
  const { people } = useText()
  const deviceText = useDeviceText()
  const textOf = useValueText()
  const { display_name, user_id, visitor_id, avatar_url, country, city, language } = person
  const isKnown = person.browser !== '' || person.os !== ''
  return (
    <header className={css.profile}>
      <Avatar url={avatar_url} size="large" />
      <div className={css.names}>
        <h1>
          <HostileText isWrapped>{display_name || user_id || people.unknownVisitor}</HostileText>
        </h1>
        <p className={css.id}>
          {user_id === '' ? people.visitor : people.user}
          <code>
            <HostileText>{user_id || visitor_id}</HostileText>
          </code>
        </p>
        <div className={css.about}>
          {country !== '' && <Place country={country} city={city} />}
          {isKnown && <span>{deviceText(person)}</span>}
          {language !== '' && <HostileText>{textOf('language', language)}</HostileText>}
        </div>
      </div>
      {children}
    </header>
  )
}

const MOST_NAMES = 10

/** What the visits of a person add up to, and as whom they came. */
export function PersonNumbers({ person }: { person: Person }) {
  const { common, people } = useText()
  const format = useFormat()
  const { can } = useSite()
  const number = (name: string, label: string, value: number): NamedNumber => ({
    name,
    label,
    value: format.count(value),
    title: format.exact(value),
  })
  const time = (name: string, label: string, at: string | null): NamedNumber => ({
    name,
    label,
    value: <span className={css.when}>{at ? <Moment at={at} /> : '–'}</span>,
  })
  const numbers = [
    number('sessions', common.metrics.sessions, person.sessions),
    number('pageviews', common.metrics.pageviews, person.pageviews),
    number('events', people.events, person.events),
    ...(can('revenue')
      ? [
          {
            name: 'revenue',
            label: common.metrics.revenue,
            value: format.money(person.revenue ?? 0),
            title: format.exactMoney(person.revenue ?? 0),
            isMoney: true,
          },
          {
            name: 'mrr',
            label: people.mrr,
            value: format.money(person.mrr ?? 0),
            title: format.exactMoney(person.mrr ?? 0),
            isMoney: true,
          },
        ]
      : []),
    time('first', people.firstSeen, person.first_seen),
    time('last', people.lastSeen, person.last_seen),
  ]
  const custom = person.custom ?? {}
  return (
    <Card title={people.profile}>
      <NumberList numbers={numbers} />
      {Object.keys(custom).length > 0 && (
        <>
          <h3 className={css.sub}>{people.properties}</h3>
          <Properties of={custom} />
        </>
      )}
      <KnownAs person={person} />
    </Card>
  )
}

/** The other visitors and users that the person was. */
function KnownAs({ person: { kind, visitors, users, user_id, visitor_id } }: { person: Person }) {
  const { people } = useText()
  const linkTo = useLinks()
  const self = kind === 'user' ? user_id : visitor_id
  const names = [...users, ...visitors].filter(name => name !== self).slice(0, MOST_NAMES)
  if (names.length === 0) return null
  return (
    <>
      <h3 className={css.sub}>{people.knownAs}</h3>
      <ul className={css.known}>
        {names.map(name => (
          <li key={name}>
            <Link href={linkTo(`/people/${partOfPath(name)}`)}>
              <HostileText>{name}</HostileText>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
