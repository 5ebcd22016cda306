import type { ReactNode } from 'react'
import { useValueText } from '../../filters/value-text.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Amount } from '../../visits/amount.tsx'
import { useDeviceText } from '../../visits/device.ts'
import { Place } from '../../visits/place.tsx'
import css from './session-facts.module.css'
import type { SessionRow } from './session-list.tsx'

/** What is known of a visit as a whole. What is empty is left out. */
export function SessionFacts({ session }: { session: SessionRow }) {
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
