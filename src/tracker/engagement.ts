/** Less than this alone is not worth a hit; it is kept for the next one. */
const WORTH_TELLING_MS = 1_000

let engagedMs = 0
/** When the running stretch began, on the page's clock; 0 while nobody looks. */
let since = 0
let deepestPx = 0
/** Percent. */
let toldDepth = 0

/** To be called whenever somebody comes, goes or scrolls. */
export function measure(): void {
  const now = performance.now()
  if (since) engagedMs += now - since
  since = !document.hidden && document.hasFocus() ? now : 0
  deepestPx = Math.max(deepestPx, scrollY + innerHeight)
}

/** Measures from here, for another page. */
export function restart(): void {
  measure()
  engagedMs = toldDepth = deepestPx = 0
}

/**
 * What is to be told since the last time: `sd` the deepest scroll so far in percent of the page as high as it is now,
 * `time` engaged milliseconds. Undefined when that is too little.
 */
export function takeProgress(): { sd: number; time: number } | undefined {
  measure()
  const depth = Math.round((100 * deepestPx) / document.documentElement.scrollHeight)
  if (depth > toldDepth) toldDepth = depth
  else if (engagedMs < WORTH_TELLING_MS) return
  const time = Math.round(engagedMs)
  engagedMs = 0
  return { sd: toldDepth, time }
}
