import { Link } from 'wouter'
import { api, type Outputs, TOGETHER } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { useRead } from '../../api/use-read.ts'
import { SiteIcon } from '../../app/site/site-switcher.tsx'
import { Sparkline } from '../../chart/sparkline.tsx'
import { usePlainFormat } from '../../format/format.ts'
import { moneyFormat } from '../../format/money.ts'
import { baseOf } from '../../format/numbers.ts'
import { PercentChange } from '../../parts/figures.tsx'
import { IconButton } from '../../parts/form/button.tsx'
import { useLanguage, useText } from '../../text/text.tsx'
import type { ListPeriod } from './list-controls.tsx'
import css from './sites.module.css'

type ListedSite = Outputs['sites']['list'][number]

/** So many sites also say how many visitors they have now: each is a read of its own. */
const MOST_LIVE = 12
const LIVE_EVERY_MS = 30_000

interface Props {
  sites: readonly ListedSite[]
  period: ListPeriod
  isOld: boolean
  mayPin: boolean
}

export function SiteTiles({ sites, period, isOld, mayPin }: Props) {
  const live = useLive(sites)
  const pin = useChange((siteKey: string) => api.sites.togglePin.mutate({ siteKey }), [['sites']])
  return (
    <ul className={isOld ? `${css.tiles} ${css.old}` : css.tiles} aria-busy={isOld || undefined}>
      {sites.map(site => (
        <SiteTile
          key={site.id}
          site={site}
          period={period}
          now={live.get(site.id)}
          {...(mayPin && { onPin: () => pin.send(site.id) })}
        />
      ))}
    </ul>
  )
}

/** Visitors of now by site, of the first sites that have visitors; one request for all of them. */
function useLive(sites: readonly ListedSite[]): ReadonlyMap<string, number> {
  const ids = sites
    .filter(({ visitors }) => visitors > 0)
    .slice(0, MOST_LIVE)
    .map(({ id }) => id)
  const read = useRead(
    ['sites-live', ...ids],
    signal =>
      Promise.all(
        ids.map(async siteKey => {
          const { visitors } = await api.stats.live.query({ siteKey }, { signal, context: TOGETHER })
          return [siteKey, visitors] as const
        }),
      ),
    { enabled: ids.length > 0, every: LIVE_EVERY_MS },
  )
  return new Map(read.data)
}

interface SiteTileProps {
  site: ListedSite
  period: ListPeriod
  /** Visitors of now, where they are known. */
  now: number | undefined
  onPin?(): void
}

/** One site: its name, its course and its numbers. All of the tile is the link. */
function SiteTile({ site, period, now, onPin }: SiteTileProps) {
  const { sites: text } = useText()
  const { exact } = usePlainFormat()
  const { domain, is_pinned: isPinned } = site
  return (
    <li className={css.tile}>
      <div className={css.head}>
        <SiteIcon domain={domain} />
        <h2 className={css.domain}>
          <Link href={`/sites/${encodeURIComponent(domain)}`} className={css.link}>
            <bdi>{domain}</bdi>
          </Link>
        </h2>
        {site.has_data ? (
          <span className={css.now}>{now ? text.now(exact(now)) : ''}</span>
        ) : (
          <span className={css.waiting}>{text.waiting}</span>
        )}
        {onPin && (
          <IconButton
            label={isPinned ? text.unpin(domain) : text.pin(domain)}
            className={isPinned ? `${css.pin} ${css.pinned}` : css.pin}
            aria-pressed={isPinned}
            onClick={onPin}
          >
            <Pin />
          </IconButton>
        )}
      </div>
      <div className={css.chart} title={text.course(text.periods[period])}>
        <Sparkline values={site.sparkline} />
      </div>
      <Numbers site={site} />
    </li>
  )
}

function Numbers({ site }: { site: ListedSite }) {
  const { sites: text } = useText()
  const { locale } = useLanguage()
  const { count, exact } = usePlainFormat()
  const money = moneyFormat(locale, site.currency)
  const { visitors, change, has_revenue: hasRevenue, revenue } = site
  return (
    <p className={css.numbers}>
      <span title={exact(visitors)}>
        <strong>{count(visitors)}</strong> {text.visitors(visitors)}
      </span>
      {visitors > 0 && <PercentChange percent={change} base={baseOf(visitors, change)} />}
      {hasRevenue && (
        <span className={css.money} title={money.exactMoney(revenue)}>
          <span className="only-read">{text.revenue} </span>
          {money.money(revenue)}
        </span>
      )}
    </p>
  )
}

function Pin() {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d="M5.5 1.5h5l-.8 4.6 2.6 2.6v1.3H8.6L8 15l-.6-5H3.7V8.7l2.6-2.6z" />
    </svg>
  )
}
