import { Link } from 'wouter'
import type { Outputs } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import { HostileLink, HostileText } from '../../parts/hostile-text.tsx'
import { useAddress, useLinks } from '../../state/address.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { EventMark, hasOwnName } from '../../visits/event-mark.tsx'
import { Properties } from '../../visits/properties.tsx'
import type { SessionRow } from './session-list.tsx'
import css from './timeline.module.css'

type Hit = Outputs['stats']['session']['data'][number]

/** The hits of a visit in order, with the times between them. */
export function Course({ hits, session }: { hits: readonly Hit[]; session: SessionRow }) {
  const { people } = useText()
  const format = useFormat()
  return (
    <ol className={css.course} aria-label={people.hits}>
      {hits.map((hit, index) => {
        const before = hits[index - 1]
        const seconds = before ? (Date.parse(hit.timestamp) - Date.parse(before.timestamp)) / 1000 : 0
        return (
          <li key={hit.id} className={css.hit}>
            <div className={css.when}>
              <time dateTime={hit.timestamp}>{format.clock(hit.timestamp)}</time>
              {before && <span className={css.gap}>{people.after(format.duration(seconds))}</span>}
            </div>
            <span className={hit.event_type === 'pageview' ? css.page : css.event} />
            <div className={css.courseWhat}>
              {hit.event_type === 'pageview' ? <Page hit={hit} /> : <Event hit={hit} session={session} />}
            </div>
          </li>
        )
      })}
    </ol>
  )
}

function Page({ hit }: { hit: Hit }) {
  const { people } = useText()
  const format = useFormat()
  const { engaged_seconds: engaged, scroll } = hit
  return (
    <>
      <strong className={css.title}>
        <HostileText>{hit.title || hit.path}</HostileText>
      </strong>
      <span className={css.coursePath}>
        <HostileLink address={hit.url}>{hit.path}</HostileLink>
      </span>
      {(engaged !== null || scroll !== null) && (
        <span className={css.courseQuiet}>
          {[
            engaged !== null && people.engaged(format.duration(engaged)),
            scroll !== null && people.scrolled(format.percent(scroll)),
          ]
            .filter(Boolean)
            .join(', ')}
        </span>
      )}
      <Properties of={hit.properties} />
    </>
  )
}

function Event({ hit, session }: { hit: Hit; session: SessionRow }) {
  const { can } = useSite()
  const { replay } = useText()
  const { change } = useAddress()
  const linkTo = useLinks()
  const name = <HostileText>{hit.event_name}</HostileText>
  return (
    <>
      <div className={css.line}>
        <EventMark type={hit.event_type} />
        {hasOwnName(hit.event_type) && (
          <strong className={css.title}>
            {hit.error_id && can('errors') ? (
              <Link href={linkTo(`/errors/${hit.error_id}`)}>{name}</Link>
            ) : (
              name
            )}
          </strong>
        )}
      </div>
      {hit.event_type === 'error' && session.has_replay && (
        <button
          type="button"
          className={css.watch}
          onClick={() => change({ at: secondBefore(hit, session) })}
        >
          {replay.before}
        </button>
      )}
      <Properties of={hit.properties} />
    </>
  )
}

/** Moment of the recording that shows what led to an error: in seconds since the visit began. */
function secondBefore(hit: Hit, session: SessionRow): string {
  const seconds = (Date.parse(hit.timestamp) - Date.parse(session.started_at)) / 1_000
  return Math.max(0, seconds - 1).toFixed(1)
}
