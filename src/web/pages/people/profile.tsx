import type { ReactNode } from 'react'
import type { Outputs } from '../../api/types.ts'
import { useValueText } from '../../filters/value-text.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useText } from '../../text/text.tsx'
import { Avatar } from '../../visits/avatar.tsx'
import { useDeviceText } from '../../visits/device.ts'
import { Place } from '../../visits/place.tsx'
import css from './person.module.css'

export type Person = Outputs['stats']['person']

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
