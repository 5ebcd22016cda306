import { Link, useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { useAwaySince } from '../../api/connection.ts'
import { useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './live-count.module.css'

const EVERY_MS = 10_000

/** How many visitors are on the site now; leads to the live page. */
export function LiveCount() {
  const { overview } = useText()
  const { exact } = useFormat()
  const site = useSite()
  const [path] = useLocation()
  const live = useRead(['live', site.id], signal => api.stats.live.query({ siteKey: site.id }, { signal }), {
    enabled: site.can('traffic'),
    // The live page asks by itself, and more often.
    ...(path !== '/live' && { every: EVERY_MS }),
  })
  const isAway = useAwaySince() !== undefined
  // Who is there now is not known without a connection.
  if (!live.data || isAway) return null
  const { visitors } = live.data
  return (
    <Link href="/live" className={css.live} aria-label={overview.onlineNow(exact(visitors))}>
      <i className={visitors > 0 ? css.dot : css.none} />
      {exact(visitors)}
      <span className={css.words}>{overview.onlineNow('').trim()}</span>
    </Link>
  )
}
