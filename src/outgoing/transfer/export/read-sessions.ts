import { LRUCache } from 'lru-cache'
import type { Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import type { ExportedSession } from './rows.ts'

type SessionRow = Omit<ExportedSession, 'visitorId' | 'firstSeenAt'> & {
  visitorId: string | null
  firstSeenAt: Date | null
}

const readExportedSessions = query<
  { siteNo: number; start: Date; end: Date; sessionNos: number[] },
  SessionRow
>('read-exported-sessions')

/** Sessions that are remembered, so that the session of a later hit is not read again; about 2 KB each. */
const MOST_REMEMBERED = 3_000

/** A row that belongs to a session, which started at `sessionAt`. */
interface OfSession {
  sessionNo: number | null
  sessionAt: Date | null
}

/** Reads the sessions of hits that are read in time order: nearly all are new, and started when their hits were sent. */
export function createSessionReader(db: Queryable, siteNo: number) {
  const remembered = new LRUCache<number, ExportedSession>({ max: MOST_REMEMBERED })

  async function read(rows: OfSession[], found: Map<number, ExportedSession>): Promise<void> {
    if (rows.length === 0) return
    const times = rows.map(({ sessionAt }) => sessionAt!.getTime())
    const sessions = await readExportedSessions(db, {
      siteNo,
      start: new Date(times.reduce((a, b) => Math.min(a, b))),
      end: new Date(times.reduce((a, b) => Math.max(a, b))),
      sessionNos: [...new Set(rows.map(({ sessionNo }) => sessionNo!))],
    })
    for (const { visitorId, firstSeenAt, ...session } of sessions) {
      // The visitor is being erased.
      if (visitorId === null || firstSeenAt === null) continue
      const known = { ...session, visitorId, firstSeenAt }
      remembered.set(session.sessionNo, known)
      found.set(session.sessionNo, known)
    }
  }

  /**
   * Returns the sessions of rows by number; those that are being deleted are missing.
   * @param from start of the time of the rows
   */
  async function sessionsOf(rows: OfSession[], from: Date): Promise<Map<number, ExportedSession>> {
    const found = new Map<number, ExportedSession>()
    const missing: OfSession[] = []
    for (const row of rows) {
      if (row.sessionNo === null || found.has(row.sessionNo)) continue
      const known = remembered.get(row.sessionNo)
      if (known) found.set(row.sessionNo, known)
      else missing.push(row)
    }
    // Most missing sessions start in the time of the rows: a few others must not widen the range of their read.
    const [near, far] = [missing.filter(isNear), missing.filter(row => !isNear(row))]
    function isNear({ sessionAt }: OfSession) {
      return sessionAt! >= from
    }
    await read(near, found)
    await read(far, found)
    return found
  }

  /**
   * Forgets sessions that ended before a time. Remembered for longer, each one outlives the collections of young objects, and the heap
   * grows by 50 MB more before they are collected.
   */
  function forgetBefore(time: Date): void {
    for (const [sessionNo, { lastAt }] of remembered) if (lastAt < time) remembered.delete(sessionNo)
  }

  return { sessionsOf, forgetBefore }
}
