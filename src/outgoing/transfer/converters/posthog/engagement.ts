import { LRUCache } from 'lru-cache'
import { MINUTE_MS } from '../../../../platform/lib/time.ts'
import type { Converted } from '../converter.ts'
import { engagement } from '../fields/lines.ts'
import { plainNumber, plainText } from '../fields/texts.ts'
import type { Read } from './context.ts'

/** A session of this service ends after more than this time without a hit. */
const SESSION_GAP_MS = 30 * MINUTE_MS
/** The page view lies as long before the event as its duration says, but for some milliseconds. */
const INEXACT_MS = 1_000
/** Page views that are remembered, about 15 MB. */
const MOST_VIEWS = 100_000

/** Engaged time of page views that earlier events have told, by their ids. */
export class ViewedTimes {
  readonly #ms = new LRUCache<string, number>({ max: MOST_VIEWS })

  /**
   * Returns what is new of the time of a page view: each event has all of it from its beginning on.
   * @param id undefined where the event has none: then all of it is new
   */
  take(id: string | undefined, ms: number): number {
    if (id === undefined) return ms
    const known = this.#ms.get(id) ?? 0
    this.#ms.set(id, Math.max(ms, known))
    return Math.max(ms - known, 0)
  }
}

/** Returns the engagement with a page, which stands in the event of leaving it, and in the next page view of a single-page application. */
export function engagementOf({ name, properties, sender }: Read, views: ViewedTimes): Converted | undefined {
  if (name !== '$pageleave' && name !== '$pageview') return undefined
  const path = plainText(properties.$prev_pageview_pathname)
  if (!path?.startsWith('/')) return undefined
  const share = plainNumber(properties.$prev_pageview_max_content_percentage)
  const seconds = plainNumber(properties.$prev_pageview_duration)
  const ms = seconds === undefined ? undefined : Math.max(seconds * 1_000, 0)
  return engagement(
    { ...sender, at: timeOf(sender.at!, ms ?? 0) },
    {
      path: path.slice(0, 2_048),
      ms: ms === undefined ? undefined : views.take(plainText(properties.$prev_pageview_id), ms),
      scroll: share === undefined ? undefined : share * 100,
    },
  )
}

/**
 * Returns the time of an engagement: just before the event, which may be a view of the same page. A page that was open for longer than a
 * session lasts without a hit must not join the sessions before and after: its engagement lies at most 30 minutes after its view, and more than
 * that before the event.
 */
function timeOf(at: number, ms: number): number {
  if (ms <= SESSION_GAP_MS) return at - 1
  const viewedAt = Math.round(at - ms)
  return Math.max(viewedAt + INEXACT_MS, Math.min(viewedAt + SESSION_GAP_MS, at - SESSION_GAP_MS - 1))
}
