import { MINUTE_MS } from '../../../platform/lib/time.ts'
import { EARLIEST } from '../next-row.ts'
import { type Filling, moveBehind, moveTo, NO_KEY, walkOn } from './filling.ts'
import { itemOf, type Row, visitorOf } from './present.ts'
import {
  findSession,
  type SessionRow,
  selectHits,
  selectIdentities,
  selectSessions,
  selectVisitors,
} from './read-visits.ts'

/** An identify hit may come this long after the last hit of its session. */
const AFTER_SESSION_MS = 30 * MINUTE_MS + 1

/** Sessions that are read at once. */
const MOST_SESSIONS = 50

/** Fills a page with sessions and their hits. @returns whether there are no more */
export async function fillVisits(filling: Filling): Promise<boolean> {
  // The hits of the session that the page before has begun.
  if (filling.cursor.hit && !(await resumeSession(filling))) return false
  return walkOn(filling, NO_KEY.visits, async (span, { afterAt, afterKey }, room) => {
    const { db, person, page } = filling
    const limit = Math.min(room, MOST_SESSIONS)
    const place = { afterAt, afterNo: Number(afterKey) }
    const sessions = await selectSessions(db, { ...person, ...span, ...place, limit })
    for (const session of sessions) {
      if (filling.room === 0 || !filling.hasTime()) return false
      await addPeople(filling, session)
      const { visitorNo, isFirstOfVisitor, isFirstOfUser, ...item } = session
      page.sessions.push(itemOf<'sessions'>(item))
      filling.room -= 1
      const started = { at: session.started_at.getTime(), key: String(session.session) }
      moveTo(filling, started, { at: EARLIEST.getTime(), key: NO_KEY.other })
      if (!(await addHits(filling, session))) return false
    }
    return sessions.length < limit
  })
}

async function resumeSession(filling: Filling): Promise<boolean> {
  const { db, person, cursor } = filling
  const sessionNo = Number(cursor.after!.key)
  const startedAt = new Date(cursor.after!.at)
  const [session] = await findSession(db, { siteNo: person.siteNo, startedAt, sessionNo })
  if (session) return addHits(filling, { ...session, session: sessionNo })
  moveTo(filling, cursor.after!)
  return true
}

/** Adds the hits of a session after the cursor. @returns whether these were all */
async function addHits(
  filling: Filling,
  session: Pick<SessionRow, 'visitorNo' | 'session' | 'first_hit_at' | 'last_hit_at'>,
): Promise<boolean> {
  const { db, person, cursor, room } = filling
  const after = cursor.after!
  const hit = cursor.hit!
  if (room === 0) return false
  const rows = await selectHits(db, {
    siteNo: person.siteNo,
    visitorNo: session.visitorNo,
    sessionNo: session.session,
    start: session.first_hit_at,
    end: new Date(Math.min(session.last_hit_at.getTime() + AFTER_SESSION_MS, cursor.until)),
    afterAt: new Date(hit.at),
    afterKey: hit.key,
    limit: room,
  })
  filling.page.hits.push(...rows.map(itemOf<'hits'>))
  filling.room -= rows.length
  const latest = rows.at(-1)
  const isDone = rows.length < room
  moveTo(filling, after, isDone || !latest ? null : { at: latest.timestamp.getTime(), key: latest.id })
  return isDone
}

/** Adds the visitor and the user that come up with a session. */
async function addPeople({ db, person, page, visitorId }: Filling, session: SessionRow): Promise<void> {
  const { siteNo } = person
  const { visitorNo, user_id: userId } = session
  if (session.isFirstOfVisitor) {
    const found = await selectVisitors(db, {
      siteNo,
      visitorNos: [visitorNo],
      visitorId: null,
      identifier: '',
    })
    const isNew = (row: Row<'visitors'>) =>
      row.visitor_id !== visitorId && row.pending_identifier !== page.person
    page.visitors.push(...found.filter(isNew).map(visitorOf))
  }
  if (session.isFirstOfUser && userId !== '' && userId !== page.person) {
    page.identities.push(
      ...(await selectIdentities(db, { siteNo, identifiers: [userId] })).map(itemOf<'identities'>),
    )
  }
}

/** Fills a page with hits that belong to no session. @returns whether there are no more */
export async function fillLooseHits(filling: Filling): Promise<boolean> {
  const { db, page } = filling
  const { siteNo, visitorNo } = filling.person
  if (visitorNo === 0) return true
  return walkOn(filling, NO_KEY.other, async (span, after, limit) => {
    const rows = await selectHits(db, { siteNo, visitorNo, sessionNo: null, ...span, ...after, limit })
    page.hits.push(...rows.map(itemOf<'hits'>))
    return moveBehind(filling, rows, limit)
  })
}
