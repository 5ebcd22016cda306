import { watchActions } from './actions.ts'
import { call, type Traits } from './api.ts'
import { measure } from './engagement.ts'
import { report, wantErrors } from './errors.ts'
import { finish, page, watchPages } from './pages.ts'
import { on, safe } from './safe.ts'
import { answers, type Page, send } from './send.ts'
import { hostname, options, tag } from './settings.ts'
import { keepId } from './visitor.ts'

type Script = `${string}.js`

declare global {
  interface HTMLScriptElement {
    /** On the tag of this script: the scripts that were loaded. Those find it by that. */
    [file: Script]: string
    /** Page of the answer that named the script: the one that was loaded, unless the visitor was faster. */
    page?: Page | undefined
    send?: typeof send
  }
}

interface Analytics {
  (...args: unknown[]): void
  identify?: (id: unknown, traits?: Traits) => void
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

function start(): void {
  // The site's settings come with the answer to a pageview: a separate request could be slow or blocked.
  answers.get = safe(settings => {
    if (!settings) return
    keepId(/=cookie\b/.test(settings))
    wantErrors(/errors=1/.test(settings))
    // Each script that is named comes from where this one came, once. What takes the place of its name is not used.
    settings.replace(
      /\w+\.js/g,
      file =>
        (tag[file as Script] =
          tag[file as Script] ||
          tag.after(
            Object.assign(document.createElement('script'), {
              src: tag.src.replace(/[^/]*$/, file),
              page,
              send,
            }),
          ) ||
          file),
    )
  })
  on('focus blur scroll', measure)
  // `visibilitychange` also fires when the page becomes visible again; nothing is left to send then.
  on('visibilitychange pagehide', finish)
  watchActions()
  on('error unhandledrejection', report)
  if (options.manual == null) watchPages()
  queue.forEach(safe(call))
}

const before: Partial<Analytics> = self.analytics || {}
const queue = before.q || []

// Start only once when the page has two tags.
if (!before.identify) {
  const analytics: Analytics = (...args) => (answers.get ? safe(call)(args) : queue.push(args))
  analytics.identify = (...args) => analytics('identify', ...args)
  self.analytics = analytics
  // Not in a frame, local or a file, nor when `data-dnt` applies. Developers try the script on localhost first, where no hits
  // would look like a fault: the console says what to do.
  if (
    self === top &&
    (options.dnt == null || !(+navigator.doNotTrack! || navigator.globalPrivacyControl)) &&
    ((hostname && (options.local != null || !/^(127\.|\[::1])|\blocalhost$/.test(hostname))) ||
      console.info('analytics: localhost needs data-local'))
  ) {
    if (document.prerendering) on('prerenderingchange', start)
    else safe(start)()
  }
}
