import { read } from './dom.ts'
import { cut, MAX_PATH, MAX_TITLE } from './limits.ts'
import { patternsOf } from './patterns.ts'
import { safe } from './safe.ts'
import { endpoints, hostname, options } from './settings.ts'
import { keptId, newId } from './visitor-id.ts'

export interface Page {
  path: string
  title: string
}

interface Post {
  url: string
  body: string
  bytes: number
  /** Its answer is needed, which beacons do not have. */
  isAsked: boolean
}

/**
 * Bytes that may be on their way in requests that outlive the page. Browsers allow 64 KiB, to all scripts of the page together, and lose
 * what is beyond.
 */
const MAX_KEPT = 40_000
const canOutlive = 'keepalive' in Request.prototype

/** Sent with the first page only: the visitor reaches later pages from the site itself. */
let referrer = read(document, 'referrer')
let keptBytes = 0
let isLeaving = false
const waiting: Post[] = []

const { navigator } = window
/** A page may replace this one by a variable of its own. */
const { width, height } = Object(window.screen) as Screen

/** Safari on an iPad, and on request on an iPhone, says that it is that of a Macintosh. No Macintosh has a touch screen. */
const device =
  /Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints
    ? width < 576
      ? { device: 'mobile', os: 'iOS' }
      : { device: 'tablet', os: 'iPadOS' }
    : {}

/** `get` receives the site's settings from the answer to a pageview; null when the header was removed on the way. */
export const answers: { get?: (settings: string | null) => void } = {}

/** Sends a hit of a page, unless the page is excluded. The body is `text/plain`, which needs no preflight. */
export function send(
  endpoint: 'collect' | 'event' | 'engage' | 'identify' | 'web-vitals',
  { path, title }: Page,
  fields: object,
): void {
  if (patternsOf(options.exclude).test(path)) return
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
        screen: { width, height },
        language: navigator.language,
      },
      device,
      fields,
    ),
  )
  const isAsked = endpoint === 'collect'
  if (isAsked) referrer = ''
  waiting.push({ url: `${endpoints}/${endpoint}`, body, bytes: new Blob([body]).size, isAsked })
  sendWaiting()
}

/** While the page is left, no hit waits for others. */
export function setLeaving(isLeft: boolean): void {
  isLeaving = isLeft
  sendWaiting()
}

function sendWaiting(): void {
  while (waiting[0]) {
    const [post] = waiting as [Post]
    const isKept = post.bytes <= MAX_KEPT - keptBytes
    // A hit that never fits is sent at once, by a request that ends with the page.
    if (!isKept && post.bytes <= MAX_KEPT && !isLeaving) return
    waiting.shift()
    if (!((isLeaving || !canOutlive) && !(post.isAsked && isKept) && isBeacon(post))) request(post, isKept)
  }
}

function isBeacon({ url, body }: Post): boolean {
  try {
    return navigator.sendBeacon(url, body)
  } catch {
    return false
  }
}

function request(post: Post, isKept: boolean): void {
  const bytes = isKept ? post.bytes : 0
  keptBytes += bytes
  const { url, body } = post
  new Promise<Response>(resolve => resolve(fetch(url, { method: 'POST', body, keepalive: isKept })))
    .then(
      answer => answers.get!(answer.headers.get('X-Tracker')),
      // Others have used what the browser allows: that is refused before anything is sent. A page that is left only loses the answer.
      () => isKept && !isLeaving && request(post, false),
    )
    .then(
      safe(() => {
        keptBytes -= bytes
        sendWaiting()
      }),
    )
}
