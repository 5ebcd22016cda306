import { Suspense, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { lazyPart } from '../../parts/lazy-part.ts'
import { useLinks } from '../../state/address.ts'
import { PRESET_NAMES, PRESETS } from '../../state/period.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
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

/** What a key does. Two keys one after the other are written `g m`. */
type Keys = Readonly<Record<string, () => void>>

const PAIR_MS = 1_000

/** Listens for keys while the person types nowhere else. */
function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    let first: { key: string; at: number } | undefined
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event)) return
      const pair = first && event.timeStamp - first.at < PAIR_MS ? `${first.key} ${event.key}` : undefined
      first = { key: event.key, at: event.timeStamp }
      const action = (pair !== undefined ? latest.current[pair] : undefined) ?? latest.current[event.key]
      if (!action) return
      first = undefined
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable ||
    target.closest('input, textarea, select, [role="dialog"], [role="menu"], [role="listbox"]') !== null
  )
}
