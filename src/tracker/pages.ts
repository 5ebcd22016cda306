import { restart, takeProgress } from './engagement.ts'
import { properties, SETTLE_MS } from './limits.ts'
import { on, safe } from './safe.ts'
import { type Page, send } from './send.ts'
import { options } from './settings.ts'

export interface PageviewOptions extends Partial<Page> {
  props?: object
}

/** The page that was last counted; undefined before it is. */
let page: Page | undefined
/** Where automatic pageviews are. */
let address: string
let settling: number | undefined

/** Path and query; with `data-hash` the fragment is the end of the path: `/app#/a?b` is `/app/a?b`. */
function here(): string {
  const { pathname, search } = location
  const fragment = options.hash != null ? location.hash : ''
  const separator = /\?/.test(fragment) ? '&' : '?'
  return (pathname + fragment).replace(/\/?#!?\/?/, '/') + search.replace('?', separator)
}

/** The page that is shown, or the one that the caller names. A page that waits for its title is counted first. */
export function currentPage({ path, title = document.title }: PageviewOptions = {}): Page {
  settle()
  return { path: path || (page ? page.path : here()), title }
}

/** Counts a pageview, after what is left to tell of the page before. */
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

/** Tells everything that is left to tell, while there is time. */
export function finish(): void {
  settle()
  leave()
}

/** Counts this page and those that follow. */
export function watchPages(): void {
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name]
    history[name] = (...args) => {
      original.apply(history, args)
      safe(followAddress)()
    }
  }
  on('popstate hashchange', followAddress)
  // Back from the browser's cache of whole pages: nothing is loaded, but somebody looks at it again.
  on<PageTransitionEvent>('pageshow', event => event.persisted && view())
  address = here()
  view()
}
