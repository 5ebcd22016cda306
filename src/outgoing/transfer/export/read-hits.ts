import type { HitType } from '../../../ingestion/hit.ts'
import type { Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { DAY_MS, MINUTE_MS } from '../../../platform/lib/time.ts'
import { createSessionReader } from './read-sessions.ts'
import type { ExportedHit, ExportedPage, HitRow, VitalsRow } from './rows.ts'

interface Block {
  siteNo: number
  start: Date
  end: Date
  afterAt: Date
  /** Of hits: whether the hit before came after those of its time that open sessions. */
  afterRank: number
  afterId: string
  limit: number
}

const readExportedHits = query<Block, HitRow>('read-exported-hits')
const readExportedVitals = query<Omit<Block, 'afterRank'>, VitalsRow>('read-exported-vitals')

const findNextHit = query<{ siteNo: number; from: Date; end: Date }, { at: Date | null }>(
  'find-next-exported-hit',
  `select min(at) as at
  from events
  where site_no = :siteNo::int and at >= :from::timestamptz and at < :end::timestamptz`,
)

/** Rows of one statement: it takes some hundredths of a second, so that hits and other reads do not wait. */
const BLOCK_ROWS = 700
/** Rows that a window is made for: with a full block, most windows would need a second one. */
const WINDOW_ROWS = 500
const SHORTEST_MS = MINUTE_MS
const LONGEST_MS = 7 * DAY_MS
const NO_ID = '00000000-0000-0000-0000-000000000000'
/** Hits that open no session. */
const OPENS_NONE: ReadonlySet<HitType> = new Set(['engagement', 'identify'])
const LONG_AGO = new Date('0001-01-01T00:00:00Z')

export interface HitSpan {
  siteNo: number
  /** Half-open. */
  start: Date
  end: Date
}

/**
 * Yields the hits of a site in order of time and id, and with them the web vitals of the pageviews of the same time. Each page is a read of its
 * own: between pages no connection, lock or snapshot is held.
 *
 * A page is a window of time that is as long as the hits before it suggest: a compressed chunk is read by time, and a limit alone would
 * decompress all of the rest of it for every page.
 */
export async function* readHits(
  db: Queryable,
  { siteNo, start, end }: HitSpan,
  { withVitals }: { withVitals: boolean },
): AsyncGenerator<ExportedPage> {
  const { sessionsOf, forgetBefore } = createSessionReader(db, siteNo)
  let from = start
  let length = SHORTEST_MS
  while (from < end) {
    const to = new Date(Math.min(from.getTime() + length, end.getTime()))
    let count = 0
    for await (const hits of blocksOf(readExportedHits, db, { siteNo, start: from, end: to })) {
      count += hits.length
      const sessions = await sessionsOf(hits, hits[0]!.at)
      yield { hits: hits.flatMap(hit => withSession(hit, sessions.get(hit.sessionNo ?? -1))), vitals: [] }
    }
    if (withVitals && count > 0) {
      // Behind the hits of their time: a report belongs to a pageview.
      for await (const vitals of blocksOf(readExportedVitals, db, { siteNo, start: from, end: to })) {
        const sessions = await sessionsOf(vitals, from)
        yield {
          hits: [],
          vitals: vitals.flatMap(row => {
            const session = sessions.get(row.sessionNo)
            return session ? [{ ...row, session }] : []
          }),
        }
      }
    }
    from = to
    forgetBefore(from)
    if (count === 0) {
      const [next] = await findNextHit(db, { siteNo, from, end })
      if (!next?.at) return
      from = next.at
    }
    // At most four times as long as before: traffic may grow at any time.
    length = Math.min(
      LONGEST_MS,
      Math.max(SHORTEST_MS, length * Math.min(4, WINDOW_ROWS / Math.max(count, 1))),
    )
  }
}

/** Yields the rows of a span of time, block by block. */
async function* blocksOf<Row extends { at: Date; id: string; type?: HitType }>(
  readBlock: (db: Queryable, block: Block) => Promise<Row[]>,
  db: Queryable,
  span: HitSpan,
): AsyncGenerator<Row[]> {
  let after = { afterAt: LONG_AGO, afterRank: 0, afterId: NO_ID }
  let { start } = span
  for (;;) {
    const rows = await readBlock(db, { ...span, start, ...after, limit: BLOCK_ROWS })
    const last = rows.at(-1)
    if (!last) return
    yield rows
    if (rows.length < BLOCK_ROWS) return
    after = { afterAt: last.at, afterRank: last.type && OPENS_NONE.has(last.type) ? 1 : 0, afterId: last.id }
    start = last.at
  }
}

/** @returns nothing for a hit whose visitor or session is being deleted */
function withSession(hit: HitRow, session: ExportedHit['session']): ExportedHit[] {
  const visitorId = session?.visitorId ?? hit.visitorId
  const firstSeenAt = session?.firstSeenAt ?? hit.firstSeenAt
  if (!visitorId || !firstSeenAt || (hit.sessionNo !== null && !session)) return []
  return [{ ...hit, visitorId, firstSeenAt, session }]
}
