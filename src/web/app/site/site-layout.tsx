import { type ReactNode, useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { usePlainFormat } from '../../format/format.ts'
import { Menu, type MenuEntry } from '../../parts/overlay/menu.tsx'
import { PeriodPicker } from '../../period/period-picker.tsx'
import { useLinks } from '../../state/kept-search.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { SkipLink } from '../skip-link.tsx'
import { LiveCount } from './live-count.tsx'
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
    <div className={css.page}>
      <SkipLink />
      <header className={css.top}>
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
      <main id="content" tabIndex={-1} className={css.content}>
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
      <nav className={css.nav} aria-label={common.nav.main}>
        {first.map(({ path: page, label }) => (
          <Link
            key={page}
            href={addressOf(page)}
            className={css.link}
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
            button={{ kind: 'quiet', className: here ? css.here : undefined }}
          />
        )}
      </nav>
      <span className={css.grow} />
      <div className={css.phone}>
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
