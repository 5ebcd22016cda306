import { captureClick, captureCopy, captureForm } from './actions.ts'
import { call, type identify } from './api.ts'
import { measure } from './engagement.ts'
import { report, wantErrors } from './errors.ts'
import { loadVitals } from './load-vitals.ts'
import { finish, watchPages } from './pages.ts'
import { on, safe } from './safe.ts'
import { answers } from './send.ts'
import { isTracked, options } from './settings.ts'
import { keepId } from './visitor.ts'

interface Analytics {
  (...args: unknown[]): void
  identify?: typeof identify
  /** Calls that were made before the script was loaded. */
  q?: Iterable<unknown>[]
}

declare global {
  interface Window {
    analytics?: Analytics
  }
  interface Document {
    prerendering?: boolean
  }
}

/** Applies the site's settings. They come with the answer to a pageview: a separate request could be slow or blocked. */
function obey(settings: string | null): void {
  if (!settings) return
  keepId(/=cookie\b/.test(settings))
  wantErrors(/errors=1/.test(settings))
  if (/vitals=1/.test(settings)) loadVitals()
}

function start(): void {
  answers.hear = obey
  on('focus blur scroll', measure)
  // `visibilitychange` also fires when the page becomes visible again; nothing is left to send then.
  on('visibilitychange pagehide', finish)
  on('click auxclick', captureClick)
  on('submit', captureForm)
  on('copy', captureCopy)
  on('error unhandledrejection', report)
  if (options.manual == null) watchPages()
  queue.forEach(safe(call))
}

const before: Partial<Analytics> = self.analytics || {}
const queue = before.q || []

// Start only once when the page has two tags.
if (!before.identify) {
  const analytics: Analytics = (...args) => (answers.hear ? safe(call)(args) : queue.push(args))
  analytics.identify = (...args) => analytics('identify', ...args)
  self.analytics = analytics
  if (isTracked()) {
    if (document.prerendering) on('prerenderingchange', start)
    else safe(start)()
  }
}
