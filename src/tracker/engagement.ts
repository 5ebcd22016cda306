import { read } from './dom.ts'

/** Shorter engagement without deeper scrolling sends no hit; its time is added to the next one. */
const WORTH_TELLING_MS = 1_000

/** As pages cannot hide it with a name of their own: `const performance` is none of the window. */
const { performance } = window

let engagedMs = 0
/** Start of the running engaged period, from `performance.now()`; 0 while the page is hidden or unfocused. */
let since = 0
let deepestPx = 0
/** Deepest scroll that was sent, in percent. */
let toldDepth = 0

/** Updates time and depth. Must be called whenever focus, visibility or scroll position changes. */
export function measure(): void {
  const now = performance.now()
  if (since) engagedMs += now - since
  since = !read(document, 'hidden') && read(document, 'hasFocus').call(document) ? now : 0
  deepestPx = Math.max(deepestPx, scrollY + innerHeight)
}

/** Restarts the measurement of time for another page. */
export function restartTime(): void {
  measure()
  engagedMs = 0
}

/** Restarts the measurement of depth for another page. */
export function restartDepth(): void {
  measure()
  toldDepth = deepestPx = 0
}

/**
 * Returns the engagement since the last call: `sd` is the deepest scroll so far in percent of the page's current height,
 * `time` the engaged milliseconds. Undefined when that is too little to send.
 */
export function takeProgress(): { sd: number; time: number } | undefined {
  measure()
  const depth = Math.round((100 * deepestPx) / read(document, 'documentElement').scrollHeight)
  if (depth > toldDepth) toldDepth = depth
  else if (engagedMs < WORTH_TELLING_MS) return
  const time = Math.round(engagedMs)
  engagedMs = 0
  return { sd: toldDepth, time }
}
