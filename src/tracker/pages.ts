import { read } from './dom.ts'
import { restartDepth, restartTime, takeProgress } from './engagement.ts'
import { MAX_TITLE_MS, properties, SETTLE_MS, textOf } from './limits.ts'
import { on, safe } from './safe.ts'
import { type Page, send, setLeaving } from './send.ts'
import { options } from './settings.ts'

export interface PageviewOptions extends Partial<Page> {
  props?: object
}

/** Campaign tags and click ids: an address that differs in them alone is the same page. */
const TAG =
  /^(utm_.*|gclid|gbraid|wbraid|dclid|fbclid|msclkid|ttclid|twclid|li_fat_id|mc_cid|mc_eid|ref)(=|$)/i
/** Time between two looks at the address, in browsers that do not tell of all changes. */
const LOOK_MS = 500

/** As pages cannot hide them with names of their own: `const history` is none of the window. */
const { history, performance } = window

/** Page of the last pageview; undefined while the current page has not been sent yet. */
export let page: Page | undefined
/** Address that was looked at last; undefined with `data-manual`. */
let address: string | undefined
/** Length of the history at that time: it grows when a page is pushed. */
let entries: number
/** Pageview that waits for its title: the title before, and the time of the change. */
let waiting: { path: string; title: string; at: number } | undefined
let timer: ReturnType<typeof setTimeout> | undefined

const titleNow = () => read(document, 'title')

/** Returns path and query. With `data-hash` the fragment is appended to the path: `/app#/a?b` becomes `/app/a?b`. */
function here(): string {
  const { pathname, search } = location
  const fragment = options.hash != null ? location.hash : ''
  const separator = /\?/.test(fragment) ? '&' : '?'
  return (pathname + fragment).replace(/\/?#!?\/?/, '/') + search.replace('?', separator)
}

/** Returns what two addresses of the same page have in common. */
function identityOf(of: string, hasQuery: boolean): string {
  const [path, query = ''] = of.split(/\?(.*)/)
  const own =
    hasQuery && options.query !== 'ignore' ? query.split('&').filter(tag => tag && !TAG.test(tag)) : []
  return [path, ...own].join('&')
}

/** Returns the current page, or the page that the caller names. First sends the pageview that waits for its title. */
export function currentPage({ path, title }: PageviewOptions = {}): Page {
  follow()
  settle()
  return {
    path: textOf(path) || (page ? page.path : here()),
    title: title === undefined ? titleNow() : title,
  }
}

/** Sends a pageview, after the remaining engagement of the previous page. */
export function view(given: PageviewOptions = {}): void {
  settle()
  turn()
  page = currentPage(given)
  restartDepth()
  send('collect', page, { properties: properties(given.props) })
}

function leave(): void {
  const progress = page && takeProgress()
  if (progress) send('engage', page!, progress)
}

/** Leaves the page for another one of the same document. */
function turn(): void {
  if (!page) return
  leave()
  page = undefined
  restartTime()
}

function settle(): void {
  if (!waiting) return
  const { path } = waiting
  waiting = clearTimeout(timer) as undefined
  view({ path })
}

/** Sends the pageview of a path once its title is there. */
function wait(path: string): void {
  waiting = { path, title: titleNow(), at: performance.now() }
  const look = safe(() => {
    if (!waiting) return
    if (titleNow() !== waiting.title || performance.now() - waiting.at >= MAX_TITLE_MS) settle()
    else timer = setTimeout(look, SETTLE_MS)
  })
  timer = setTimeout(look, SETTLE_MS)
}

/**
 * Looks whether the address has changed to that of another page.
 * @param isPush whether a change of the query alone makes another page
 */
function follow(isPush = history.length > entries): void {
  const [before, now] = [address, here()]
  if (before === undefined) return
  entries = history.length
  if (now === before) return
  address = now
  if (waiting && performance.now() - waiting.at < SETTLE_MS) waiting.path = now
  else if (identityOf(now, isPush) !== identityOf(before, isPush)) {
    settle()
    turn()
    wait(now)
  }
}

/** Sends the waiting pageview and the remaining engagement. Must run before the page is closed. */
export function finish({ type }: Event): void {
  setLeaving(type === 'pagehide' || read(document, 'hidden'))
  settle()
  leave()
}

/** Sends a pageview for this page and for every later address. */
export function watchPages(): void {
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name]
    const isPush = name === 'pushState'
    safe(() => {
      history[name] = (...args) => {
        original.apply(history, args)
        safe(follow)(isPush)
      }
    })()
  }
  const { navigation } = window
  // Knows every change within the document, also by functions that a router took from `history` before this script replaced them.
  if (navigation && navigation.currentEntry)
    navigation.addEventListener(
      'currententrychange',
      safe(({ navigationType }) => follow(navigationType !== 'replace')),
    )
  else setInterval(safe(follow), LOOK_MS)
  on('popstate hashchange', () => follow(true))
  // A page restored from the back/forward cache loads no script, but the visitor views it again.
  on<PageTransitionEvent>('pageshow', event => event.persisted && view())
  address = here()
  entries = history.length
  // An `async` tag may run before the browser has read the title.
  if (read(document, 'readyState') === 'loading' && !titleNow()) wait(address)
  else view()
}
