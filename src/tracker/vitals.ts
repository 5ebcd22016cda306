import { type MetricWithAttribution, onCLS, onFCP, onINP, onLCP, onTTFB } from 'web-vitals/attribution'
import { read } from './dom.ts'
import { cut } from './limits.ts'
import { passedTo } from './passed.ts'
import { patternsOf } from './patterns.ts'
import { safe } from './safe.ts'

// The first script loads this one when the site records web vitals.

const passed = passedTo(read(document, 'currentScript')!)
let page = passed.page!

/** Limits of the API; what is above is no measurement. */
const MAX_MS = 600_000
const MAX_SHIFT = 1_000
const MAX_TARGET = 255

interface Report {
  id: string
  attribution: Record<string, object>
  [metric: string]: unknown
}

const newReport = (): Report => ({
  // Also where `crypto.randomUUID` is missing: see visitor.ts.
  id: URL.createObjectURL(new Blob()).slice(-36),
  attribution: {},
})

let report = newReport()
let isSent = true

/** Returns the name of the largest part, in the words of the API: `elementRenderDelay` is `element_render_delay`. */
function longest(parts: Record<string, number>): string | undefined {
  const [name] = Object.entries(parts).reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0])
  return name || undefined
}

function attributionOf(metric: MetricWithAttribution): object {
  switch (metric.name) {
    case 'LCP': {
      const { target, timeToFirstByte, resourceLoadDelay, resourceLoadDuration, elementRenderDelay } =
        metric.attribution
      return {
        target: cut(target, MAX_TARGET),
        phase: longest({
          time_to_first_byte: timeToFirstByte,
          resource_load_delay: resourceLoadDelay,
          resource_load_duration: resourceLoadDuration,
          element_render_delay: elementRenderDelay,
        }),
      }
    }
    case 'INP': {
      const { interactionTarget, inputDelay, processingDuration, presentationDelay } = metric.attribution
      return {
        target: cut(interactionTarget, MAX_TARGET),
        phase: longest({
          input_delay: inputDelay,
          processing_duration: processingDuration,
          presentation_delay: presentationDelay,
        }),
      }
    }
    case 'CLS':
      return { target: cut(metric.attribution.largestShiftTarget, MAX_TARGET) }
    case 'FCP': {
      const { timeToFirstByte, firstByteToFCP } = metric.attribution
      return { phase: longest({ time_to_first_byte: timeToFirstByte, first_byte_to_fcp: firstByteToFCP }) }
    }
    case 'TTFB': {
      const { waitingDuration, cacheDuration, dnsDuration, connectionDuration, requestDuration } =
        metric.attribution
      return {
        phase: longest({
          waiting: waitingDuration,
          cache: cacheDuration,
          dns: dnsDuration,
          connection: connectionDuration,
          request: requestDuration,
        }),
      }
    }
  }
}

function keep(metric: MetricWithAttribution): void {
  const { name, value } = metric
  if (!(value >= 0 && value <= (name === 'CLS' ? MAX_SHIFT : MAX_MS))) return
  const field = name.toLowerCase()
  report[field] = value
  report.attribution[field] = attributionOf(metric)
  isSent = false
}

/** Sends the report if it has changed since it was sent; it replaces the one before. */
function flush(): void {
  if (isSent || !read(document, 'hidden')) return
  isSent = true
  passed.send('web-vitals', page, report)
}

// Before the library's own listener: what it measures after a restore belongs to another report.
addEventListener(
  'pageshow',
  safe((event: PageTransitionEvent) => {
    if (!event.persisted) return
    report = newReport()
    isSent = true
    page = { path: location.pathname + location.search, title: read(document, 'title') }
  }),
  true,
)

/** Path of the document as it was loaded: a single-page application may have left it since. */
const [navigation] = performance.getEntriesByType('navigation')
const { pathname } = new URL(navigation ? navigation.name : location.href)

const options = { reportAllChanges: true }
if (!patternsOf(passed.options.exclude).test(pathname))
  for (const measure of [onLCP, onINP, onCLS, onFCP, onTTFB] as ((
    keep: (metric: MetricWithAttribution) => void,
    options: object,
  ) => void)[]) {
    safe(measure)(safe(keep), options)
  }

// In the bubble phase: the library takes its last measurements in the capture phase.
addEventListener('visibilitychange', safe(flush))
