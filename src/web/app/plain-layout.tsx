import { type ReactNode, useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { Button } from '../parts/form/button.tsx'
import { Menu, type MenuEntry } from '../parts/overlay/menu.tsx'
import { useText } from '../text/text.tsx'
import frame from './frame.module.css'
import { signOut } from './person/signing.ts'
import { TeamSwitcher } from './person/teams.tsx'
import css from './plain-layout.module.css'
import { SkipLink } from './skip-link.tsx'

const PAGES = [
  { path: '/', label: 'allSites' },
  { path: '/team', label: 'team' },
  { path: '/account', label: 'account' },
] as const

interface Props {
  /** Title of the window; the page has its own heading. */
  title: string
  children: ReactNode
}

/** The frame around pages that belong to no site: all sites, the team, the person's own login. */
export function PlainLayout({ title, children }: Props) {
  const { common } = useText()
  const [path] = useLocation()
  useEffect(() => {
    document.title = `${title} · ${common.product}`
  }, [title, common])
  const isHere = (page: string) => path === page || (page !== '/' && path.startsWith(`${page}/`))
  const entries: MenuEntry[] = [
    ...PAGES.map(page => ({
      name: page.label,
      label: common.nav[page.label],
      href: page.path,
      isChosen: isHere(page.path),
    })),
    { kind: 'line', name: 'line' },
    { name: 'out', label: common.nav.signOut, onChoose: signOut },
  ]
  return (
    <div className={`${frame.page} ${css.page}`}>
      <SkipLink />
      <header className={frame.top}>
        <Link href="/" className={css.product}>
          {common.product}
        </Link>
        <nav className={`${frame.nav} ${css.nav}`} aria-label={common.nav.general}>
          {PAGES.map(page => (
            <Link
              key={page.path}
              href={page.path}
              className={frame.link}
              aria-current={isHere(page.path) ? 'page' : undefined}
            >
              {common.nav[page.label]}
            </Link>
          ))}
        </nav>
        <span className={frame.grow} />
        <TeamSwitcher />
        <Button kind="quiet" className={css.out} onClick={signOut}>
          {common.nav.signOut}
        </Button>
        <div className={`${frame.phone} ${css.phone}`}>
          <Menu
            trigger={<span aria-hidden="true">☰</span>}
            label={common.nav.general}
            align="end"
            entries={entries}
            button={{ kind: 'quiet', 'aria-label': common.nav.menu }}
          />
        </div>
      </header>
      <main id="content" tabIndex={-1} className={`${frame.content} ${css.content}`}>
        {children}
      </main>
    </div>
  )
}
