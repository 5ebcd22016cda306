import { useEffect, useMemo } from 'react'
import { useParams, useRouter } from 'wouter'
import { api, type Outputs, sendAs } from '../../api/client.ts'
import { failureOf } from '../../api/failure.ts'
import { queries, useRead } from '../../api/use-read.ts'
import { Away } from '../../app/message-pages.tsx'
import { SitePages } from '../../app/site/site-pages.tsx'
import { FilterSummary, filtersOf, type StoredFilters } from '../../filters/filter-summary.tsx'
import { SiteProvider, type SiteView } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './fixed-filters.module.css'
import { ShareOver, SharePassword } from './messages.tsx'
import { keepAccess, knownOf, secretInAddress } from './secrets.ts'

type SharedSite = Outputs['shares']['site']

const SHARED = 'shared'

/** The pages of a site for readers of a link, and of a public site. It needs no cookie, so that it works in frames. */
export default function Shared() {
  const { common } = useText()
  const { site: siteKey = '' } = useParams<{ site: string }>()
  const isEmbedded = /\/embed\/[^/]+$/.test(useRouter().base)
  const shared = useRead([SHARED, siteKey], () => openSite(siteKey), { keep: false })
  const { data, failure, again } = shared
  const view = useMemo(() => data && viewOf(data, isEmbedded), [data, isEmbedded])
  useEffect(() => {
    if (view) document.title = `${view.domain} · ${common.product}`
  }, [view, common])
  useEndOfShare(siteKey)
  if (failure?.code === 'password_required') return <SharePassword site={siteKey} onOpened={again} />
  if (failure?.kind === 'signed_out' || failure?.kind === 'missing') return <ShareOver />
  if (view) return <SiteProvider site={view}>{<SitePages />}</SiteProvider>
  return failure ? <Away failure={failure} again={again} /> : null
}

/** Reads what is shared. Access that has ended is forgotten: the secret then says whether a password is needed. */
async function openSite(siteKey: string): Promise<SharedSite> {
  const { secret, access } = knownOf(siteKey)
  const bearer = access ?? secret
  sendAs({ isGuest: true, ...(bearer !== undefined && { bearer }) })
  try {
    return await api.shares.site.query({ siteKey })
  } catch (error) {
    if (access === undefined || failureOf(error).kind !== 'signed_out') throw error
    keepAccess(siteKey, undefined)
    return openSite(siteKey)
  }
}

/** Looks at the share again when a read is refused, and when the address has another secret. */
function useEndOfShare(siteKey: string): void {
  useEffect(() => {
    const look = () => void queries.invalidateQueries({ queryKey: [SHARED, siteKey] })
    const stop = queries.getQueryCache().subscribe(event => {
      if (event.type !== 'updated' || event.action.type !== 'error' || event.query.queryKey[0] === SHARED)
        return
      if (failureOf(event.action.error).kind === 'signed_out') look()
    })
    const change = () => secretInAddress() !== undefined && location.reload()
    addEventListener('hashchange', change)
    return () => {
      stop()
      removeEventListener('hashchange', change)
    }
  }, [siteKey])
}

function viewOf(shared: SharedSite, isEmbedded: boolean): SiteView {
  const sections = new Set(shared.sections)
  const hasFilters = Object.keys(shared.filters).length > 0
  return {
    id: shared.id,
    domain: shared.domain,
    timezone: shared.timezone,
    currency: shared.currency,
    hasData: shared.has_data,
    can: section => sections.has(section),
    mayExport: shared.may_export,
    mayChange: false,
    mayManage: false,
    hasProcessor: false,
    isMember: false,
    isEmbedded,
    ...(hasFilters && { note: <FixedFilters filters={shared.filters} /> }),
    ...(shared.name !== null && { shareName: shared.name }),
  }
}

/** Says by what a share narrows all numbers. */
function FixedFilters({ filters }: { filters: StoredFilters }) {
  const { share: text } = useText()
  return (
    <div className={css.line}>
      <span>{text.narrowed}</span>
      <FilterSummary filters={filtersOf(filters)} />
    </div>
  )
}
