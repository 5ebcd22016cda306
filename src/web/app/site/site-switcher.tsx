import { useState } from 'react'
import { api, TOGETHER } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { Menu, type MenuEntry } from '../../parts/overlay/menu.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { useCurrentTeam } from '../person/person.tsx'
import { signOut } from '../person/signing.ts'
import css from './site-layout.module.css'

const MOST_SITES = 12

/** Name of the site; for members with a menu of the other sites and of what does not belong to a site. */
export function SiteSwitcher() {
  const site = useSite()
  const name = (
    <>
      <SiteIcon domain={site.domain} />
      <bdi className={css.domain}>{site.domain}</bdi>
      {site.shareName !== undefined && <bdi className={css.share}>{site.shareName}</bdi>}
    </>
  )
  return site.isMember ? <Switcher name={name} /> : <span className={css.site}>{name}</span>
}

function Switcher({ name }: { name: React.ReactNode }) {
  const { common } = useText()
  const site = useSite()
  const team = useCurrentTeam()
  const [isNear, setNear] = useState(false)
  const sites = useRead(
    ['sites', team?.id, '24h', 'most_visitors', ''],
    signal => api.sites.list.query({}, { signal, context: TOGETHER }),
    { enabled: isNear },
  )
  const others = (sites.data ?? []).slice(0, MOST_SITES).map(
    ({ domain }): MenuEntry => ({
      name: `site ${domain}`,
      label: domain,
      href: `~/sites/${domain}`,
      isChosen: domain === site.domain,
    }),
  )
  return (
    <Menu
      onNear={() => setNear(true)}
      trigger={
        <>
          {name}
          <span className={css.chevron} aria-hidden="true">
            ▾
          </span>
        </>
      }
      label={common.nav.allSites}
      button={{ kind: 'quiet', className: css.site }}
      entries={[
        ...others,
        ...(others.length > 0 ? [{ kind: 'line', name: 'line 1' } as const] : []),
        { name: 'all', label: common.nav.allSites, href: '~/' },
        { name: 'new', label: common.nav.newSite, href: '~/new' },
        { kind: 'line', name: 'line 2' },
        { name: 'settings', label: common.nav.settings, href: '/settings' },
        { name: 'team', label: common.nav.team, href: '~/team' },
        { name: 'account', label: common.nav.account, href: '~/account' },
        { name: 'out', label: common.nav.signOut, onChoose: signOut },
      ]}
    />
  )
}

/** The first letter of a domain; the site's own icon, if it has one, is drawn over it. */
export function SiteIcon({ domain }: { domain: string }) {
  return (
    <span className={css.icon} aria-hidden="true">
      {domain
        .replace(/^www\./, '')
        .charAt(0)
        .toUpperCase()}
      <img src={`favicons/${encodeURIComponent(domain)}`} alt="" loading="lazy" width={20} height={20} />
    </span>
  )
}
