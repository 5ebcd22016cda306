import { restart, takeProgress } from './engagement.ts'
import { properties, SETTLE_MS } from './limits.ts'
import { on, safe } from './safe.ts'
import { type Page, send } from './send.ts'
import { options } from './settings.ts'

export interface PageviewOptions extends Partial<Page> {
  props?: object
}

/** Page of the last pageview; undefined while the current page has not been sent yet. */
export let page: Page | undefined
/** Address of the last automatic pageview, sent or waiting for its title. */
let address: string
let settling: number | undefined

/** Returns path and query. With `data-hash` the fragment is appended to the path: `/app#/a?b` becomes `/app/a?b`. */
function here(): string {
  const { pathname, search } = location
  const fragment = options.hash != null ? location.hash : ''
  const separator = /\?/.test(fragment) ? '&' : '?'
  return (pathname + fragment).replace(/\/?#!?\/?/, '/') + search.replace('?', separator)
}

/** Returns the current page, or the page that the caller names. First sends the pageview that waits for its title. */
export function currentPage({ path, title = document.title }: PageviewOptions = {}): Page {
  settle()
  return { path: path || (page ? page.path : here()), title }
}

/** Sends a pageview, after the remaining engagement of the previous page. */
export function view(given: PageviewOptions = {}): void {
  leave()
  page = undefined
  page = currentPage(given)
  restart()
  send('collect', page, { properties: properties(given.props) })
}

function leave(): void {
  const progress = page && takeProgress()
  if (progress) send('engage', page!, progress)
}

function settle(): void {
  if (!settling) return
  settling = clearTimeout(settling) as undefined
  view()
}

function followAddress(): void {
  if (here() === address) return
  address = here()
  leave()
  page = undefined
  settling = settling || setTimeout(safe(settle), SETTLE_MS)
}

/** Sends the waiting pageview and the remaining engagement. Must run before the page is closed. */
export function finish(): void {
  settle()
  leave()
}

/** Sends a pageview for this page and for every later address. */
export function watchPages(): void {
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name]
    history[name] = (...args) => {
      original.apply(history, args)
      safe(followAddress)()
    }
  }
  on('popstate hashchange', followAddress)
  // A page restored from the back/forward cache loads no script, but the visitor views it again.
  on<PageTransitionEvent>('pageshow', event => event.persisted && view())
  address = here()
  view()
}
