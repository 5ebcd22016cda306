import { type ReactNode, useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import { useAwaySince } from '../../api/connection.ts'
import { useRead } from '../../api/use-read.ts'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { useFormat, usePlainFormat } from '../../format/format.ts'
import { Menu, type MenuEntry } from '../../parts/overlay/menu.tsx'
import { PeriodPicker } from '../../period/period-picker.tsx'
import { useLinks } from '../../state/address.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import frame from '../frame.module.css'
import { SkipLink } from '../skip-link.tsx'
import { SITE_PAGES } from './pages-of-site.ts'
import { SiteKeys } from './site-keys.tsx'
import css from './site-layout.module.css'
import { SiteSwitcher } from './site-switcher.tsx'
import { useRefused, WrongAddress } from './wrong-address.tsx'

/** Pages that are not about a period. */
const WITHOUT_PERIOD = /^\/(settings|install|connect-stripe|live)(\/|$)/

/** The frame around the pages of a site: where am I, who is here, which page, which time. */
export function SiteLayout({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  const { isEmbedded, note } = useSite()
  const refused = useRefused()
  const hasPeriod = !WITHOUT_PERIOD.test(path)
  return (
    <div className={`${frame.page} ${css.page}`}>
      <SkipLink />
      <header className={`${frame.top} ${css.top}`}>
        <SiteSwitcher />
        <LiveCount />
        <Navigation />
        {hasPeriod && (
          <div className={css.period}>
            <PeriodPicker />
          </div>
        )}
      </header>
      {hasPeriod && <FilterBar />}
      {note}
      <main id="content" tabIndex={-1} className={frame.content}>
        {refused.length > 0 ? <WrongAddress names={refused} /> : children}
      </main>
      <ZoneHint />
      {!isEmbedded && <SiteKeys />}
    </div>
  )
}

/** Says whose time the page shows, where that is not the reader's. */
function ZoneHint() {
  const { common } = useText()
  const { timezone } = useSite()
  const { zone } = usePlainFormat()
  return timezone === zone ? null : <footer className={css.hint}>{common.siteTime(timezone)}</footer>
}

function Navigation() {
  const { common } = useText()
  const site = useSite()
  const [path] = useLocation()
  const linkTo = useLinks()
  const shown = SITE_PAGES.filter(({ needs }) => (needs === 'member' ? site.isMember : site.can(needs)))
  const isHere = (page: string) =>
    page === '' ? path === '/' : path === `/${page}` || path.startsWith(`/${page}/`)
  const addressOf = (page: string) => linkTo(`/${page}`)
  const entryOf = ({ path: page, label, key }: (typeof shown)[number]): MenuEntry => ({
    name: page,
    label: common.nav[label],
    href: addressOf(page),
    isChosen: isHere(page),
    shortcut: `g ${key}`,
  })
  const [first, rest] = [shown.filter(({ isFirst }) => isFirst), shown.filter(({ isFirst }) => !isFirst)]
  const here = rest.find(({ path: page }) => isHere(page))
  const title = shown.find(({ path: page }) => isHere(page))?.label
  useEffect(() => {
    document.title = [title && common.nav[title], site.domain].filter(Boolean).join(' · ')
  }, [title, common, site.domain])
  return (
    <>
      <nav className={`${frame.nav} ${css.nav}`} aria-label={common.nav.main}>
        {first.map(({ path: page, label }) => (
          <Link
            key={page}
            href={addressOf(page)}
            className={`${frame.link} ${css.link}`}
            aria-current={isHere(page) ? 'page' : undefined}
          >
            {common.nav[label]}
          </Link>
        ))}
        {rest.length > 0 && (
          <Menu
            trigger={`${here ? common.nav[here.label] : common.nav.more} ▾`}
            label={common.nav.more}
            entries={rest.map(entryOf)}
            button={{ kind: 'quiet', className: here ? frame.here : undefined }}
          />
        )}
      </nav>
      <span className={frame.grow} />
      <div className={`${frame.phone} ${css.phone}`}>
        <Menu
          trigger={<span aria-hidden="true">☰</span>}
          label={common.nav.main}
          entries={shown.map(entryOf)}
          button={{ kind: 'quiet', 'aria-label': common.nav.menu }}
        />
      </div>
    </>
  )
}

const EVERY_MS = 10_000

/** How many visitors are on the site now; leads to the live page. */
function LiveCount() {
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
