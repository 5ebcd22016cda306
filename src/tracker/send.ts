import { cut, MAX_PATH, MAX_TITLE } from './limits.ts'
import { patternsOf } from './patterns.ts'
import { endpoints, hostname, options } from './settings.ts'
import { keptId, newId } from './visitor.ts'

export interface Page {
  path: string
  title: string
}

/** Sent with the first page only: the visitor reaches later pages from the site itself. */
let referrer = document.referrer

/** `get` receives the site's settings from the answer to a pageview; null when the header was removed on the way. */
export const answers: { get?: (settings: string | null) => void } = {}

/**
 * Sends a hit of a page, unless the page is excluded. The body is `text/plain`, which needs no preflight. Beacons outlive
 * the page but return no answer, so a pageview, whose answer is needed, is sent by fetch.
 */
export function send(
  endpoint: 'collect' | 'event' | 'engage' | 'identify' | 'web-vitals',
  { path, title }: Page,
  fields: object,
): void {
  if (patternsOf(options.exclude).test(path)) return
  const url = `${endpoints}/${endpoint}`
  const body = JSON.stringify(
    Object.assign(
      {
        key: options.key,
        hostname,
        url: { path: cut(path, MAX_PATH), title: cut(title, MAX_TITLE) },
        referrer: cut(referrer, MAX_PATH),
        visitor_id: keptId(),
        // The tracker does not know the site's mode before the first answer; the service uses this id in cookie mode only.
        new_visitor_id: navigator.cookieEnabled ? newId : undefined,
        screen: { width: screen.width },
        language: navigator.language,
      },
      fields,
    ),
  )
  if (endpoint === 'collect') referrer = ''
  else if (navigator.sendBeacon && navigator.sendBeacon(url, body)) return
  fetch(url, { method: 'POST', body, keepalive: true }).then(
    answer => answers.get!(answer.headers.get('X-Tracker')),
    () => {},
  )
}
