import { Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { lazyPart } from '../../parts/lazy-part.ts'
import { useLinks } from '../../state/kept-search.ts'
import { PRESET_NAMES, PRESETS } from '../../state/period.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useKeys } from '../use-keys.ts'
import { SITE_PAGES } from './pages-of-site.ts'

const KeyList = lazyPart(() => import('./key-list.tsx'))
const QuickSearch = lazyPart(() => import('../../filters/quick-search.tsx'))

type Shown = 'keys' | 'search'

/** Keyboard shortcuts of a site's pages: a period by one letter, a page by `g` and its letter, `/` searches, `?` lists all. */
export function SiteKeys() {
  const site = useSite()
  const { period, setPeriod, setFilters } = useQuestion()
  const [, navigate] = useLocation()
  const linkTo = useLinks()
  const [shown, setShown] = useState<Shown>()
  const pages = SITE_PAGES.filter(({ needs }) => (needs === 'member' ? site.isMember : site.can(needs)))
  useKeys({
    ...Object.fromEntries(PRESET_NAMES.map(range => [PRESETS[range], () => setPeriod({ ...period, range })])),
    ...Object.fromEntries(pages.map(({ path, key }) => [`g ${key}`, () => navigate(linkTo(`/${path}`))])),
    c: () => setPeriod({ ...period, compare: period.compare === 'none' ? 'previous' : 'none' }),
    x: () => setFilters([]),
    '/': () => setShown('search'),
    '?': () => setShown('keys'),
  })
  return (
    <Suspense>
      {shown === 'keys' && <KeyList onClose={() => setShown(undefined)} />}
      {shown === 'search' && <QuickSearch onClose={() => setShown(undefined)} />}
    </Suspense>
  )
}
