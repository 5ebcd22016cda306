import { watchActions } from './actions.ts'
import { call, type Traits } from './api.ts'
import { measure } from './engagement.ts'
import { load } from './load.ts'
import { claim } from './name.ts'
import { report, wantErrors } from './page-errors.ts'
import { finish, watchPages } from './pages.ts'
import { on, safe } from './safe.ts'
import { answers } from './send.ts'
import { hostname, options, say } from './settings.ts'
import { keepId } from './visitor-id.ts'

export interface Analytics {
  (...args: unknown[]): void
  identify?: (id: unknown, traits?: Traits) => void
  push?: () => void
}

declare global {
  interface Document {
    prerendering?: boolean
  }
  interface Window {
    [name: symbol]: unknown
  }
}

function start(): void {
  // The site's settings come with the answer to a pageview: a separate request could be slow or blocked.
  answers.get = safe(settings => {
    if (!settings) return
    keepId(/=cookie\b/.test(settings))
    wantErrors(/errors=1/.test(settings))
    for (const file of settings.match(/\w+\.js/g) || []) load(file)
  })
  on('focus blur scroll', measure)
  // `visibilitychange` also fires when the page becomes visible again; nothing is left to send then.
  on('visibilitychange pagehide', finish)
  watchActions()
  on('error unhandledrejection', report)
  if (options.manual == null) watchPages()
  else measure()
  queue.forEach(safe(call))
}

/** Calls that were made before the script could send. */
let queue: Iterable<unknown>[] = []

/** Says what keeps the script from sending; developers try it on localhost first, where no hits would look like a fault. */
function isReady(): boolean {
  if (!options.key)
    say('the tag has no data-key. Where a tag manager drops it, write …/script.js?key=TRACKING_KEY')
  else if (!hostname || (options.local == null && /^(127\.|\[::1])|\blocalhost$/.test(hostname)))
    say('localhost needs data-local')
  else return true
  return false
}

// Start only once when the page has two tags. A symbol is no name that the page could see.
const started = Symbol.for('analytics')
if (!window[started]) {
  window[started] = true
  const analytics: Analytics = (...args) => (answers.get ? safe(call)(args) : queue.push(args))
  analytics.identify = (...args) => analytics('identify', ...args)
  queue = claim(analytics)
  // Not in a frame, local or a file, nor when `data-dnt` applies.
  const { navigator } = window
  if (
    window === top &&
    (options.dnt == null || !(+navigator.doNotTrack! || navigator.globalPrivacyControl)) &&
    isReady()
  ) {
    if (document.prerendering) on('prerenderingchange', start)
    else safe(start)()
  }
}
