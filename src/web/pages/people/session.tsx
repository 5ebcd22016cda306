import type { ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import { useStats } from '../../api/use-stats.ts'
import { useValueText } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { Pager } from '../../parts/lists/pager.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { useLinks, usePage } from '../../state/address.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Amount, Place, useDeviceText } from '../../visits/cells.tsx'
import { Avatar, pathOfPerson } from '../../visits/who.tsx'
import { Course } from './course.tsx'
import css from './people.module.css'
import { ReplayCard } from './replay/replay-card.tsx'
import type { SessionRow } from './session-list.tsx'

/** One visit: where it came from, and everything that happened in it. */
export default function Session() {
  const session = useParams().session!
  const { common, people } = useText()
  const { id } = useSite()
  const format = useFormat()
  const linkTo = useLinks()
  const [page, onPage] = usePage()
  const read = useStats('session', { siteKey: id, session, page })
  return (
    <>
      <Link href={linkTo('/people', { tab: 'sessions' })} className={css.back}>
        ← {common.nav.people}
      </Link>
      <Answer read={read}>
        {({ session: row, data, meta }) => (
          <>
            <header className={css.profile}>
              <Avatar url={row.avatar_url} size="large" />
              <div className={css.names}>
                <h1>
                  <HostileText isWrapped>
                    {people.visitOf(row.display_name || people.unknownVisitor)}
                  </HostileText>
                </h1>
                <p className={css.id}>
                  <Link href={linkTo(pathOfPerson(row))}>{people.profile}</Link>
                  {format.time(row.started_at)}
                </p>
              </div>
            </header>
            {row.has_replay && <ReplayCard session={row} />}
            <div className={css.columns}>
              <SessionFacts session={row} />
              <Card title={people.course}>
                {data.length === 0 ? <Empty title={people.noHits} /> : <Course hits={data} session={row} />}
                <Pager meta={meta} onPage={onPage} />
              </Card>
            </div>
          </>
        )}
      </Answer>
    </>
  )
}

/** What is known of a visit as a whole. What is empty is left out. */
function SessionFacts({ session }: { session: SessionRow }) {
  const { common, filters, people } = useText()
  const format = useFormat()
  const deviceText = useDeviceText()
  const textOf = useValueText()
  const { can } = useSite()
  const text = (value: string): ReactNode => value && <HostileText>{value}</HostileText>
  const facts: [label: string, value: ReactNode][] = [
    [people.duration, format.duration(session.duration_seconds)],
    [common.metrics.pageviews, format.exact(session.pageviews)],
    [people.events, format.exact(session.events)],
    [people.number, format.exact(session.visit_count)],
    [common.metrics.revenue, can('revenue') && session.revenue !== 0 && <Money minor={session.revenue} />],
    [people.entry, text(session.entry_path)],
    [people.exit, text(session.exit_path)],
    [filters.names.channel, text(session.channel)],
    [filters.names.source, text(session.source)],
    [filters.names.referrer, text(session.referrer)],
    [filters.names.utm_source, text(session.utm_source)],
    [filters.names.utm_medium, text(session.utm_medium)],
    [filters.names.utm_campaign, text(session.utm_campaign)],
    [filters.names.utm_content, text(session.utm_content)],
    [filters.names.utm_term, text(session.utm_term)],
    [people.place, session.country && <Place country={session.country} city={session.city} />],
    [filters.names.region, text(session.region)],
    [people.device, deviceText({ size: session.size, browser: '', os: '' })],
    [filters.names.browser, text([session.browser, session.browser_version].filter(Boolean).join(' '))],
    [filters.names.os, text([session.os, session.os_version].filter(Boolean).join(' '))],
    [people.screen, text(session.screen)],
    [people.language, session.language && text(textOf('language', session.language))],
    [filters.names.hostname, text(session.hostname)],
  ]
  return (
    <Card title={people.facts}>
      <dl className={css.facts}>
        {facts
          .filter(([, value]) => value)
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </Card>
  )
}

const Money = ({ minor }: { minor: number | null }) => (
  <span className={css.money}>
    <Amount minor={minor} />
  </span>
)
