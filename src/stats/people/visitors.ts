import { inSnapshot } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DAY_MS } from '../../lib/time.ts'
import { readIntArray } from '../../rollups/daily/visitor-set.ts'
import { type Page, type PageQuery, windowOf } from '../../schema/pagination.ts'
import type { TimeSpan } from '../../time/range.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { isUnfiltered, keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { PageWindow } from '../metrics/rank.ts'
import { countTraffic } from '../metrics/traffic.ts'
import type { StatsServices } from '../query-context.ts'
import { locateSessionsPage } from '../sessions/session-pages.ts'
import { readLongs } from './long-array.ts'

/** A visitor, and the session that says where they stand in the list. */
export interface RankedVisitor {
  visitorNo: number
  startedAt: Date
}

/** Visitors of sessions, the newest first, once a session: the bytes of two arrays, of numbers and of starts in milliseconds. */
const listNewestVisitors = query<
  TimeSpan & { siteNo: number },
  { visitors: Buffer | null; starts: Buffer | null }
>(
  'list-newest-visitors',
  `select
    array_send(array_agg(visitor_no order by started_at desc, visitor_no desc)) as visitors,
    array_send(
      array_agg((extract(epoch from started_at) * 1000)::bigint order by started_at desc, visitor_no desc)
    ) as starts
  from sessions
  where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz`,
)

const listCarriedVisitors = query<
  TimeSpan & { siteNo: number; firstDayEnd: Date; lastDayStart: Date },
  RankedVisitor
>('list-carried-visitors')

/**
 * Returns a page of the visitors with a hit in the range that matches the filters, and their number. In order: those with a session
 * that started in the range, by the newest such session; then the others, by their newest session.
 */
export async function rankVisitors(
  services: Pick<StatsServices, 'reads' | 'readsInParts' | 'rollups' | 'counter'>,
  resolved: ResolvedQuery,
  query: PageQuery,
): Promise<Page<RankedVisitor>> {
  const params = windowOf(query)
  if (isUnfiltered(resolved)) return walkNewest(services, keptPart(resolved), params)
  const { total, visitorNos, startedAt } = await countAsked(services, resolved, 'visitors', params)
  const rows = visitorNos.map((visitorNo, index) => ({ visitorNo, startedAt: new Date(startedAt[index]!) }))
  return { rows, total }
}

/** Sessions that one statement reads; the second number where statements are kept short. */
const MOST_SESSIONS = 200_000
const FEW_SESSIONS = 5_000

/**
 * Reads sessions, the newest first, until enough visitors came up; the first page needs few. Rollups know the number of all.
 */
async function walkNewest(
  services: Pick<StatsServices, 'reads' | 'readsInParts' | 'rollups' | 'counter'>,
  resolved: ResolvedQuery,
  { limit, offset }: PageWindow,
): Promise<Page<RankedVisitor>> {
  const { start, end } = resolved
  if (start >= end) return { rows: [], total: 0 }
  const counting = async () => {
    const [counted] = await countTraffic(services, resolved, [{ start, end }])
    return counted!.visitors
  }
  if (offset === 0) {
    const [total, walk] = await Promise.all([
      counting(),
      walkSessions(services, resolved, new Walk(0, limit)),
    ])
    return pageOf(walk, total)
  }
  // Counting first: a page beyond the last needs no walk.
  const total = await counting()
  if (offset >= total) return { rows: [], total }
  return pageOf(await walkSessions(services, resolved, new Walk(offset, limit)), total)
}

/** A visitor may have come between the statements. */
const pageOf = (walk: Walk, total: number): Page<RankedVisitor> => ({
  rows: walk.rows,
  total: Math.max(total, walk.seen.size),
})

async function walkSessions(
  { reads, readsInParts }: Pick<StatsServices, 'reads' | 'readsInParts'>,
  { siteNo, start, end }: ResolvedQuery,
  walk: Walk,
): Promise<Walk> {
  const most = readsInParts ? FEW_SESSIONS : MOST_SESSIONS
  let size = Math.min(most, Math.max(200, 2 * walk.wanted))
  let until = end
  while (!walk.isFull() && until > start) {
    const wanted = { siteNo, start, end: until, limit: size, offset: 0 }
    const stretch = await inSnapshot(reads, tx => locateSessionsPage(tx, wanted))
    if (!stretch.start) break
    const from = stretch.start > start ? stretch.start : start
    const [read] = await listNewestVisitors(reads, { siteNo, start: from, end: until })
    const starts = readLongs(read!.starts)
    readIntArray(read!.visitors).forEach((visitorNo, index) => {
      walk.add(visitorNo, () => starts(index))
    })
    until = from
    size = Math.min(most, 4 * size)
  }
  if (walk.isFull()) return walk
  for (const { visitorNo, startedAt } of await listCarriedVisitors(reads, { siteNo, ...ends(start, end) })) {
    walk.add(visitorNo, () => startedAt.getTime())
  }
  return walk
}

/** The parts of a range in which there may be hits of sessions that started outside it. */
const ends = (start: Date, end: Date) => ({
  start,
  end,
  firstDayEnd: new Date(Math.min(start.getTime() + DAY_MS + 1, end.getTime())),
  lastDayStart: new Date(Math.max(end.getTime() - DAY_MS - 1, start.getTime())),
})

/** Collects the visitors of one page of a list in which each comes up first where it stands. */
class Walk {
  readonly seen = new Set<number>()
  readonly rows: RankedVisitor[] = []
  readonly #offset: number
  readonly #limit: number

  constructor(offset: number, limit: number) {
    this.#offset = offset
    this.#limit = limit
  }

  /** Visitors up to the end of the page. */
  get wanted(): number {
    return this.#offset + this.#limit
  }

  isFull(): boolean {
    return this.rows.length === this.#limit
  }

  add(visitorNo: number, startedAt: () => number): void {
    if (this.isFull() || this.seen.has(visitorNo)) return
    this.seen.add(visitorNo)
    if (this.seen.size > this.#offset) this.rows.push({ visitorNo, startedAt: new Date(startedAt()) })
  }
}
