import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { api, type Outputs } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { refreshSite } from '../../app/site/site-frame.tsx'
import { useFormat } from '../../format/format.ts'
import { countryName } from '../../format/names.ts'
import { LinkButton } from '../../parts/form/button.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useSite } from '../../state/site.tsx'
import { useLanguage, useText } from '../../text/text.tsx'
import css from './install.module.css'

type Hit = Outputs['stats']['live']['events'][number]

const EVERY_MS = 2_000

/** Waits for the first visit, and shows it as soon as it is there. */
export function FirstHit() {
  const { install: text } = useText()
  const site = useSite()
  const [hadData] = useState(site.hasData)
  const [hit, setHit] = useState<Hit>()
  const live = useRead(
    ['first-hit', site.id],
    signal => api.stats.live.query({ siteKey: site.id }, { signal }),
    {
      enabled: hit === undefined,
      every: EVERY_MS,
    },
  )
  const events = live.data?.events ?? []
  const found = hadData ? events[0] : events.at(-1)
  useEffect(() => {
    if (!found || hit) return
    setHit(found)
    if (!hadData) refreshSite()
  }, [found, hit, hadData])
  return (
    <div className={hit ? `${css.box} ${css.arrived}` : css.box} role="status">
      {hit ? (
        <Arrived hit={hit} isFirst={!hadData} />
      ) : (
        <>
          <span className={css.pulse} aria-hidden="true" />
          <p>
            {hadData ? text.waitingForNext : text.waiting(site.domain)}{' '}
            {hadData && <Link href="/">{text.toOverview}</Link>}
          </p>
        </>
      )}
    </div>
  )
}

function Arrived({ hit, isFirst }: { hit: Hit; isFirst: boolean }) {
  const { install: text } = useText()
  const { locale } = useLanguage()
  const { clock } = useFormat()
  const facts = [hit.country && countryName(locale, hit.country), hit.browser, hit.os, clock(hit.timestamp)]
  return (
    <>
      <span className={css.mark} aria-hidden="true">
        ✓
      </span>
      <div className={css.what}>
        <p className={css.title}>{isFirst ? text.arrived : text.works}</p>
        <p className={css.hit}>
          <b className={css.path}>
            <HostileText>{hit.path || hit.event_name}</HostileText>
          </b>
          <span>{facts.filter(Boolean).join(' · ')}</span>
        </p>
      </div>
      <LinkButton href="/" kind="main">
        {text.toOverview}
      </LinkButton>
    </>
  )
}
