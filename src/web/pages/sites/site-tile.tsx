import { Link } from 'wouter'
import { SiteIcon } from '../../app/site/site-switcher.tsx'
import { Sparkline } from '../../chart/sparkline.tsx'
import { usePlainFormat } from '../../format/format.ts'
import { moneyFormat } from '../../format/money.ts'
import { baseOf } from '../../parts/figures/base.ts'
import { PercentChange } from '../../parts/figures/change.tsx'
import { IconButton } from '../../parts/form/button.tsx'
import { useLanguage, useText } from '../../text/text.tsx'
import type { ListPeriod } from './list-view.ts'
import css from './site-tile.module.css'
import type { ListedSite } from './site-tiles.tsx'

interface Props {
  site: ListedSite
  period: ListPeriod
  /** Visitors of now, where they are known. */
  now: number | undefined
  onPin?(): void
}

/** One site: its name, its course and its numbers. All of the tile is the link. */
export function SiteTile({ site, period, now, onPin }: Props) {
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
