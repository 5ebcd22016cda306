import type { View } from '../../columns/block.ts'
import { SiteColumns, startsOf, type ViewSpan } from '../../columns/site-columns.ts'
import { dayOf, type Span } from '../../columns/spans.ts'
import { readStampStart } from '../../columns/stamps.ts'
import { type Db, inSnapshot } from '../../db/connect.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Log } from '../../runtime/log.ts'
import { type Counter, runCount, viewSpanOf } from '../counts/counter.ts'

const AWAITED_MS = 4 * DAY_MS

interface Waiting {
  span: ViewSpan
  /** @param view undefined where there is none yet */
  answer: (view: View | undefined) => void
}

interface Site {
  siteNo: number
  columns: SiteColumns
  waiting: Waiting[]
  /** Time that is to be made from rows, newest day first. */
  preparing: Span | undefined
  /** Columns from then on fill the memory; Unix milliseconds. */
  fullFrom: number
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
      preparing: undefined,
      fullFrom: Number.NEGATIVE_INFINITY,
      isBusy: false,
    }
    sites.delete(siteNo)
    sites.set(siteNo, site)
    return site
  }

  /** Answers who waits, all from one snapshot; while nobody does, prepares a day. */
  async function work(site: Site): Promise<void> {
    site.isBusy = true
    while (site.waiting.length > 0 || site.preparing) {
      const asked = site.waiting.splice(0)
      try {
        if (asked.length > 0) await answer(site, asked)
        else await prepareDay(site)
      } catch (error) {
        log.error({ error, siteNo: site.siteNo }, 'columns could not be made')
        site.preparing = undefined
        for (const { answer } of asked) answer(undefined)
      }
      forgetOthers(site)
    }
    site.isBusy = false
  }

  async function answer(site: Site, asked: Waiting[]): Promise<void> {
    const spans = asked.map(({ span }) => span)
    const views = await inSnapshot(db, tx => site.columns.views(tx, spans, now(), awaitedMs))
    for (const [index, { span, answer }] of asked.entries()) {
      answer(views[index])
      if (!views[index] && span.start >= site.fullFrom)
        site.preparing = around(site.preparing, startsOf(span))
    }
  }

  async function prepareDay(site: Site): Promise<void> {
    const { start, end } = site.preparing!
    const from = Math.max(start, dayOf(Math.min(end, now()) - 1))
    await inSnapshot(db, tx => site.columns.views(tx, [{ start: from, end }], now()))
    if (site.columns.bytes > maxBytes) {
      site.fullFrom = from
      site.columns = new SiteColumns(site.siteNo)
    }
    site.preparing = from > start && from > site.fullFrom ? { start, end: from } : undefined
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
        site.waiting.push({ span: viewSpanOf(name, question), answer })
        if (!site.isBusy) void work(site)
      })
    },
  }
}

const around = (span: Span | undefined, other: Span): Span =>
  span
    ? { start: Math.min(span.start, other.start), end: Math.max(span.end, other.end) }
    : { start: other.start, end: other.end }
