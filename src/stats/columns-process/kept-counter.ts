import { type Db, inSnapshot } from '../../platform/db/connect.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { View } from '../../storage/columns/block.ts'
import { DecodedBlocks } from '../../storage/columns/packed-block.ts'
import { SiteColumns, startsOf, type ViewSpan, viewOfStarts } from '../../storage/columns/site-columns.ts'
import { dayOf, type Span } from '../../storage/columns/spans.ts'
import { readStampStart } from '../../storage/columns/stamps.ts'
import { type Counter, runCount, viewSpanOf } from '../counts/counter.ts'
import { CountRefused } from '../counts/refused.ts'
import { ANSWER_MS } from './messages.ts'

const AWAITED_MS = 4 * DAY_MS
/** Longest wait for columns of a longer time, which are made a day at a time. */
const PATIENCE_MS = 5_000
/** Days that took less time are followed by twice as many. */
const QUICK_MS = 100
/** Columns are made anew after this time, from stored blocks: texts that no row has any more are forgotten then. */
const OLDEST_MS = DAY_MS
/** How long a time that does not fit into the memory, or takes too long, is not tried again. */
const REFUSED_MS = 10 * MINUTE_MS
/** Questions about a site that wait: a dashboard asks some twenty. */
const MOST_WAITING = 1_000

interface Waiting {
  span: ViewSpan
  /** When the question came, Unix milliseconds. */
  since: number
  answer: (view: View) => void
  refuse: (error: unknown) => void
}

/** Starts of sessions that are made from rows, some days at a time, the newest first. */
interface Preparing extends Span {
  /** What is after it is done. */
  until: number
  /** How many days the next step has. */
  days: number
  /** How many days are read at a time: more while that takes little time. */
  readDays: number
}

/** What was found of starts of sessions, and until when it is taken for granted, Unix milliseconds. */
interface Noted extends Span {
  why: 'large' | 'slow'
  until: number
}

interface Site {
  siteNo: number
  columns: SiteColumns
  /** When they were begun, Unix milliseconds. */
  since: number
  waiting: Waiting[]
  preparing: Preparing[]
  /** A range that is refused for a while, also as a part of a longer one: its columns do not fit into the memory, or take too long. */
  refused: Noted | undefined
  /** What took too long once: its blocks may have been decoded for it. */
  slow: Noted | undefined
  isBusy: boolean
}

/**
 * Returns a counter that keeps columns from one question to the next, those of the sites that were asked last.
 * @param options.maxBytes about how much memory they may take
 * @param options.awaitedMs what is made from rows for a question at once, milliseconds of time. Columns of a longer time are prepared some days at a
 * time; questions wait for some seconds, and are refused then
 * @param options.answerMs how long an asker waits for an answer, milliseconds
 */
export function createKeptCounter(options: {
  db: Db
  maxBytes: number
  log: Log
  now: () => number
  awaitedMs?: number
  patienceMs?: number
  answerMs?: number
  leastPackedHits?: number
}): Counter & { readonly bytes: number } {
  const { db, maxBytes, log, now, awaitedMs = AWAITED_MS } = options
  const { patienceMs = PATIENCE_MS, answerMs = ANSWER_MS } = options
  // Decoded columns take several times the memory of packed ones.
  const mostBytes = Math.ceil(maxBytes / 4)
  const decoded = new DecodedBlocks(maxBytes - mostBytes)
  const { leastPackedHits } = options
  const columnsOf = (siteNo: number) =>
    new SiteColumns(siteNo, { decoded, ...(leastPackedHits !== undefined && { leastPackedHits }) })
  /** The one that was asked last is the last one. */
  const sites = new Map<number, Site>()
  let stampedFrom: number | undefined

  function siteOf(siteNo: number): Site {
    const site = sites.get(siteNo) ?? {
      siteNo,
      columns: columnsOf(siteNo),
      since: now(),
      waiting: [],
      preparing: [],
      refused: undefined,
      slow: undefined,
      isBusy: false,
    }
    sites.delete(siteNo)
    sites.set(siteNo, site)
    return site
  }

  /** Answers the questions that wait, and prepares some days for those that have to wait longer. */
  async function work(site: Site): Promise<void> {
    while (site.waiting.length > 0 || site.preparing.length > 0) {
      const asked = site.waiting.splice(0)
      try {
        await forgetUnstamped(site)
        if (asked.length > 0) await answer(site, asked)
        if (site.preparing.length > 0) await prepareDays(site, site.preparing[0]!)
        if (await isStamped()) await site.columns.store(db)
      } catch (error) {
        log.error({ error, siteNo: site.siteNo }, 'columns could not be made')
        site.preparing = []
        site.waiting = site.waiting.filter(question => !asked.includes(question))
        for (const { refuse } of asked) refuse(error)
      }
      if (site.columns.bytes > mostBytes) startAnew(site)
      forgetOthers(site)
    }
    site.isBusy = false
  }

  function startAnew(site: Site): void {
    site.columns.clear()
    site.since = now()
  }

  /**
   * After an upgrade, processes of the version before may change rows without a stamp for a while: columns of yesterday and today are made
   * for each question then, and all columns once more after it.
   */
  async function forgetUnstamped(site: Site): Promise<void> {
    if (!(await isStamped())) site.columns.forgetFrom(dayOf(now() - DAY_MS))
    else if (site.since < stampedFrom! || now() - site.since > OLDEST_MS) startAnew(site)
  }

  async function isStamped(): Promise<boolean> {
    stampedFrom ??= await readStampStart(db)
    return now() >= stampedFrom
  }

  /** All from one moment. */
  async function answer(site: Site, waiting: Waiting[]): Promise<void> {
    const { columns } = site
    const asked = waiting.filter(question => !isRefused(site, question))
    if (asked.length === 0) return
    const limits = { longestMs: awaitedMs, mostBytes }
    const spans = asked.map(({ span }) => span)
    // What is missing is read outside of a snapshot: the embedded database can serve no other client during a transaction.
    const withoutLookups = spans.map(span => ({ ...span, money: span.money && ('kept' as const) }))
    const first = await columns.views(db, withoutLookups, now(), limits)
    const hasView = first.views.some(view => typeof view === 'object')
    const isWhole = !hasView || (!first.hasRead && spans.every(({ money }) => money !== 'whole'))
    const { views } = isWhole ? first : await inSnapshot(db, tx => columns.views(tx, spans, now(), limits))
    for (const [index, question] of asked.entries()) {
      const view = views[index]!
      if (view === 'large') {
        if (!question.span.money) site.refused = noted('large', startsOf(question.span))
        question.refuse(new CountRefused({ why: 'large' }))
      }
      // The asker has stopped waiting.
      else if (now() - question.since >= answerMs)
        question.refuse(new CountRefused({ why: 'preparing', share: 0 }))
      else if (typeof view === 'object') question.answer(view)
      else postpone(site, question, view)
    }
  }

  const noted = (why: Noted['why'], { start, end }: Span): Noted => ({
    ...{ start, end, why },
    until: now() + REFUSED_MS,
  })

  const holds = ({ start, end }: Span, part: Noted) =>
    now() < part.until && start <= part.start && end >= part.end

  /** Refuses a question whose time contains the range that is refused. */
  function isRefused({ refused }: Site, { span, refuse }: Waiting): boolean {
    if (!refused || span.only || !holds(startsOf(span), refused)) return false
    refuse(new CountRefused({ why: refused.why }))
    return true
  }

  /** Told of a count that has taken so long that its asker has gone. */
  function noteSlow(site: Site, span: ViewSpan): void {
    const slow = noted('slow', startsOf(span))
    // After a slow count of the same or a longer time, it was not slow because its columns had to be decoded.
    if (site.slow && holds(site.slow, slow) && now() < site.slow.until) site.refused = slow
    site.slow = slow
  }

  /** @param share of the time that is there */
  function postpone(site: Site, question: Waiting, share: number): void {
    const { start, end } = site.columns.withData(startsOf(question.span))
    const isKnown = site.preparing.some(known => known.start <= start && known.end >= end)
    if (!isKnown) site.preparing.push({ start, end, until: Math.min(end, now()), days: 1, readDays: 1 })
    if (now() - question.since < patienceMs) site.waiting.push(question)
    else question.refuse(new CountRefused({ why: 'preparing', share }))
  }

  async function prepareDays(site: Site, preparing: Preparing): Promise<void> {
    const { start, end, until, days, readDays } = preparing
    const from = Math.max(start, dayOf(until - 1) - (days - 1) * DAY_MS)
    const began = performance.now()
    const { views, hasRead } = await site.columns.views(db, [viewOfStarts({ start: from, end })], now(), {
      mostBytes,
      ...(days > readDays && { longestMs: awaitedMs }),
    })
    if (views[0] === 'large') {
      site.refused = noted('large', { start: from, end })
      site.preparing = []
      return
    }
    if (typeof views[0] === 'number') {
      preparing.days = readDays
      return
    }
    preparing.until = from
    if (hasRead)
      preparing.readDays = performance.now() - began < QUICK_MS ? 2 * readDays : Math.ceil(readDays / 2)
    preparing.days = hasRead ? preparing.readDays : 2 * days
    if (from <= start) site.preparing.shift()
  }

  const keptBytes = () => [...sites.values()].reduce((sum, { columns }) => sum + columns.bytes, 0)

  function forgetOthers(site: Site): void {
    let bytes = keptBytes()
    for (const other of sites.values()) {
      if (other === site || other.isBusy) continue
      if (bytes <= mostBytes && now() - other.since <= OLDEST_MS) continue
      bytes -= other.columns.bytes
      other.columns.clear()
      sites.delete(other.siteNo)
    }
  }

  return {
    /** About how much memory all columns take. */
    get bytes() {
      return keptBytes() + decoded.bytes
    },
    count(name, siteNo, question, asked) {
      const site = siteOf(siteNo)
      return new Promise((resolve, reject) => {
        const span = viewSpanOf(name, question, asked)
        const answer = (view: View) => {
          const began = now()
          try {
            resolve(runCount(name, view, question, asked))
          } catch (error) {
            reject(error)
          }
          if (now() - began >= answerMs && !span.only) noteSlow(site, span)
        }
        if (site.waiting.length >= MOST_WAITING)
          return reject(
            new CountRefused({ why: 'unavailable', message: 'Too many reads at once; try again shortly' }),
          )
        site.waiting.push({ span, since: now(), answer, refuse: reject })
        if (site.isBusy) return
        site.isBusy = true
        // Questions of one message share the look at the stamps.
        setImmediate(() => {
          work(site).catch(error => log.error({ error, siteNo }, 'columns could not be made'))
        })
      })
    },
  }
}
