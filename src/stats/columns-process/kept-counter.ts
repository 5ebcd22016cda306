import type { View } from '../../columns/block.ts'
import { SiteColumns, startsOf, type ViewSpan } from '../../columns/site-columns.ts'
import { dayOf, type Span } from '../../columns/spans.ts'
import { readStampStart } from '../../columns/stamps.ts'
import { type Db, inSnapshot } from '../../db/connect.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import type { Log } from '../../runtime/log.ts'
import { type Counter, runCount, viewSpanOf } from '../counts/counter.ts'

const AWAITED_MS = 4 * DAY_MS
/** How long a site that fills the memory is not tried again for older days. */
const FULL_MS = HOUR_MS
/** Questions about a site that wait: a dashboard asks some twenty. For more, other sources answer. */
const MOST_WAITING = 100

interface Waiting {
  span: ViewSpan
  /** @param view undefined where there is none yet */
  answer: (view: View | undefined) => void
}

/** Time that is made from rows, a day at a time, the newest first. */
interface Preparing extends Span {
  /** What is after it is done. */
  until: number
}

interface Site {
  siteNo: number
  columns: SiteColumns
  waiting: Waiting[]
  preparing: Preparing[]
  /** Columns from then on fill the memory, Unix milliseconds, and until when that is taken for granted. */
  full: { from: number; until: number } | undefined
  isBusy: boolean
}

/**
 * Returns a counter that keeps columns from one question to the next, those of the sites that were asked last.
 * @param options.maxBytes about how much memory they may take
 * @param options.awaitedMs a question waits while so much time is made from rows, milliseconds. For what is longer it gets no answer, and the
 * columns are prepared for the next one
 */
export function createKeptCounter(options: {
  db: Db
  maxBytes: number
  log: Log
  now: () => number
  awaitedMs?: number
}): Counter {
  const { db, maxBytes, log, now, awaitedMs = AWAITED_MS } = options
  /** The one that was asked last is the last one. */
  const sites = new Map<number, Site>()
  let stampedFrom: number | undefined

  function siteOf(siteNo: number): Site {
    const site = sites.get(siteNo) ?? {
      siteNo,
      columns: new SiteColumns(siteNo),
      waiting: [],
      preparing: [],
      full: undefined,
      isBusy: false,
    }
    sites.delete(siteNo)
    sites.set(siteNo, site)
    return site
  }

  /** Answers the questions that wait; when there are none, prepares a day. */
  async function work(site: Site): Promise<void> {
    site.isBusy = true
    while (site.waiting.length > 0 || site.preparing.length > 0) {
      const asked = site.waiting.splice(0)
      try {
        if (asked.length > 0) await answer(site, asked)
        else await prepareDay(site, site.preparing[0]!)
      } catch (error) {
        log.error({ error, siteNo: site.siteNo }, 'columns could not be made')
        site.preparing = []
        for (const { answer } of asked) answer(undefined)
      }
      if (site.columns.bytes > maxBytes) site.columns = new SiteColumns(site.siteNo)
      forgetOthers(site)
    }
    site.isBusy = false
  }

  /** All from one moment. */
  async function answer(site: Site, asked: Waiting[]): Promise<void> {
    const spans = asked.map(({ span }) => span)
    const { columns } = site
    // What is missing is read outside of a snapshot: the embedded database can serve no other client during a transaction.
    const blocks = spans.map(span => ({ ...span, money: false }))
    const first = await columns.views(db, blocks, now(), awaitedMs)
    const isWhole = !first.hasRead && !spans.some(({ money }) => money)
    const { views } = isWhole ? first : await inSnapshot(db, tx => columns.views(tx, spans, now(), awaitedMs))
    for (const [index, { span, answer }] of asked.entries()) {
      answer(views[index])
      if (!views[index]) prepareLater(site, columns.withData(startsOf(span)))
    }
  }

  function prepareLater(site: Site, { start, end }: Span): void {
    if (site.full && now() > site.full.until) site.full = undefined
    const isKnown = site.preparing.some(known => known.start <= start && known.end >= end)
    if (isKnown || (site.full && start < site.full.from)) return
    site.preparing.push({ start, end, until: Math.min(end, now()) })
  }

  async function prepareDay(site: Site, preparing: Preparing): Promise<void> {
    const { start, until } = preparing
    const from = Math.max(start, dayOf(until - 1))
    await site.columns.views(db, [{ start: from, end: until }], now())
    preparing.until = from
    if (site.columns.bytes > maxBytes) {
      // Of the day itself and those around it, no part is kept: the newer ones have room.
      const keptFrom = dayOf(from) + 3 * DAY_MS
      site.columns.forgetBefore(keptFrom)
      site.full = { from: keptFrom, until: now() + FULL_MS }
      site.preparing = []
    } else if (from <= start) site.preparing.shift()
  }

  function forgetOthers(site: Site): void {
    let bytes = [...sites.values()].reduce((sum, { columns }) => sum + columns.bytes, 0)
    for (const other of sites.values()) {
      if (bytes <= maxBytes) return
      if (other === site || other.isBusy) continue
      bytes -= other.columns.bytes
      sites.delete(other.siteNo)
    }
  }

  return {
    async count(name, siteNo, question, asked) {
      stampedFrom ??= await readStampStart(db)
      if (now() < stampedFrom) return undefined
      const site = siteOf(siteNo)
      return new Promise((resolve, reject) => {
        const answer = (view: View | undefined) => {
          try {
            resolve(view && runCount(name, view, question, asked))
          } catch (error) {
            reject(error)
          }
        }
        if (site.waiting.length >= MOST_WAITING) return resolve(undefined)
        site.waiting.push({ span: viewSpanOf(name, question), answer })
        if (!site.isBusy) void work(site)
      })
    },
  }
}
