import type { Audit } from '../../audit/audit.ts'
import type { Db } from '../../db/connect.ts'
import { readEvents } from '../../ingestion/replays/read-chunk.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/time.ts'
import { MAX_EVENTS_BYTES } from '../../replays/bounds.ts'
import { presentPayment } from '../../revenue/payments.ts'
import type { Services } from '../../services.ts'
import { selectCustomers } from '../customers.ts'
import { requirePerson, visitorIdOf } from '../find-person.ts'
import type { ExportPerson } from '../schema.ts'
import { EARLIEST, findNextRow, type TimeSpan } from '../time-spans.ts'
import { type Cursor, firstCursor, PARTS, type Place, readCursor, writeCursor } from './cursor.ts'
import {
  presentHit,
  presentIdentity,
  presentReplayChunk,
  presentServiceEvent,
  presentSession,
  presentVisitor,
  presentVitals,
} from './present.ts'
import { selectPaidSessions, selectPayments, selectServiceEvents } from './read-money.ts'
import { listReplayChunks, readReplayData } from './read-replays.ts'
import {
  findSession,
  type HitRow,
  type Person,
  type SessionRow,
  selectHits,
  selectIdentities,
  selectSessions,
  selectVisitors,
} from './read-visits.ts'
import { selectWebVitals } from './read-web-vitals.ts'
import type { PersonExport } from './schema.ts'

/** Time after which a page ends, whatever it has: the caller gets no answer after ten seconds. */
const BUDGET_MS = 3_000
/** Rows of a site are searched in windows of this length. */
const WINDOW_MS = 7 * DAY_MS
const NO_KEY = { visits: '-1', other: '00000000-0000-0000-0000-000000000000' }
/** An identify hit may come this long after the last hit of its session. */
const AFTER_SESSION_MS = 30 * MINUTE_MS + 1

/** A page that is being filled. */
interface Filling {
  db: Db
  person: Person
  visitorId: string | null
  page: PersonExport
  /** Items that the page has still room for. */
  room: number
  hasTime: () => boolean
  cursor: Cursor
}

/**
 * Returns a page of everything that a site has stored about a person: first visits with their hits, then hits without a visit,
 * payments, and events that the service wrote. The cursor names the latest row, so rows that are stored meanwhile move nothing.
 * The audit log has an entry for the first page, without the person.
 * @throws AppError `not_found` for an unknown person, `validation_failed` for an invalid cursor
 */
export async function exportPerson(
  { db, now, audit }: Pick<Services, 'db' | 'now'> & { audit: Audit },
  { siteNo, id: siteId }: { siteNo: number; id: string },
  { person, cursor: given, per_page }: ExportPerson,
): Promise<PersonExport> {
  const cursor = given === undefined ? firstCursor(now()) : readCursor(given)
  await requirePerson(db, siteNo, person)
  if (given === undefined) await audit(db, { action: 'person.export', details: { site_id: siteId } })
  const visitorId = visitorIdOf(person)
  const page: PersonExport = {
    person,
    identities: [],
    visitors: [],
    sessions: [],
    hits: [],
    web_vitals: [],
    replays: [],
    payments: [],
    service_events: [],
    next_cursor: null,
  }
  const endsAt = performance.now() + BUDGET_MS
  const filling: Filling = {
    db,
    person: { siteNo, visitorNo: 0, identifier: person },
    visitorId,
    page,
    room: per_page,
    hasTime: () => performance.now() < endsAt,
    cursor,
  }
  await addKnown(filling, given === undefined)
  for (;;) {
    if (!(await FILL[filling.cursor.part](filling))) {
      page.next_cursor = writeCursor(filling.cursor)
      return page
    }
    const part = PARTS[PARTS.indexOf(filling.cursor.part) + 1]
    if (!part) return page
    filling.cursor = { ...filling.cursor, part, after: null, hit: null }
  }
}

/** Finds visitor and user. The first page has the user, and the visitors that are known without a search. */
async function addKnown({ db, person, visitorId, page }: Filling, isFirstPage: boolean): Promise<void> {
  const { siteNo, identifier } = person
  const visitors = await selectVisitors(db, { siteNo, visitorNos: [], visitorId, identifier })
  const identities = await selectIdentities(db, { siteNo, identifiers: [identifier] })
  person.visitorNo = visitors.find(visitor => visitor.visitorId === visitorId)?.visitorNo ?? 0
  // A search for the sessions of a user reads all sessions of the site.
  if (identities.length === 0 && person.visitorNo !== 0) person.identifier = ''
  if (!isFirstPage) return
  page.visitors.push(...visitors.map(presentVisitor))
  page.identities.push(...identities.map(presentIdentity))
}

/** Fills a page with rows of a part. @returns whether the part is complete */
const FILL: Record<Cursor['part'], (filling: Filling) => Promise<boolean>> = {
  visits: fillVisits,
  loose: fillLooseHits,
  vitals: filling =>
    walkOn(filling, NO_KEY.other, async (span, after, limit) => {
      const { db, person, page } = filling
      const rows = await selectWebVitals(db, { ...person, ...span, ...after, limit })
      page.web_vitals.push(...rows.map(presentVitals))
      return moveBehind(filling, rows, limit)
    }),
  replays: fillReplays,
  payments: fillPayments,
  service: filling =>
    walkOn(filling, NO_KEY.other, async (span, after, limit) => {
      const { db, person, page } = filling
      const rows = await selectServiceEvents(db, { ...person, ...span, ...after, limit })
      page.service_events.push(...rows.map(presentServiceEvent))
      return moveBehind(filling, rows, limit)
    }),
}

const moveTo = (filling: Filling, after: Place, hit: Place | null = null) => {
  filling.cursor = { ...filling.cursor, after, hit }
}

/** Moves the cursor behind rows that were added. @returns whether there are no more of them */
function moveBehind(filling: Filling, rows: { at: Date; id: string }[], limit: number): boolean {
  filling.room -= rows.length
  const latest = rows.at(-1)
  if (latest) moveTo(filling, { at: latest.at.getTime(), key: latest.id })
  return rows.length < limit
}

/**
 * Calls `read` for each window in which the site has rows, from the cursor to the time of the first page.
 * @param read adds at most `limit` rows after the cursor, and returns whether it has read the whole window
 * @returns whether there are no more windows; false when the page is full or the time is over
 */
async function walkOn(
  filling: Filling,
  noKey: string,
  read: (span: TimeSpan, after: { afterAt: Date; afterKey: string }, limit: number) => Promise<boolean>,
): Promise<boolean> {
  const { db, person } = filling
  while (filling.room > 0 && filling.hasTime()) {
    const { after, until } = filling.cursor
    const from = new Date(after?.at ?? EARLIEST)
    const [next] = await findNextRow(db, { siteNo: person.siteNo, from })
    if (!next!.at || next!.at.getTime() >= until) return true
    const end = new Date(Math.min(next!.at.getTime() + WINDOW_MS, until))
    const place = { afterAt: from, afterKey: after?.key ?? noKey }
    if (await read({ start: next!.at, end }, place, filling.room)) {
      moveTo(filling, { at: end.getTime(), key: noKey })
    }
  }
  return false
}

/** Replays are read without windows: the rows of their sessions are few. A page has as many bytes of events as a chunk may. */
async function fillReplays(filling: Filling): Promise<boolean> {
  const { db, person, page, cursor, room } = filling
  const limit = Math.min(room, MOST_CHUNKS)
  if (limit === 0) return false
  const listed = await listReplayChunks(db, {
    ...person,
    afterAt: new Date(cursor.after?.at ?? EARLIEST),
    afterKey: cursor.after?.key ?? NO_KEY.other,
    until: new Date(cursor.until),
    limit,
  })
  let bytes = 0
  const rows = listed.filter((row, index) => {
    bytes += row.unpacked
    return index === 0 || bytes <= MAX_EVENTS_BYTES
  })
  if (rows.length === 0) return true
  const [from, to] = [rows[0]!.at, rows.at(-1)!.at]
  const found = await readReplayData(db, { siteNo: person.siteNo, from, to, ids: rows.map(({ id }) => id) })
  const data = new Map(found.map(row => [row.id, row.data]))
  for (const row of rows) {
    const packed = data.get(row.id)
    if (packed) page.replays.push(presentReplayChunk(row, await readEvents(packed)))
  }
  return moveBehind(filling, rows, limit) && rows.length === listed.length
}

async function fillLooseHits(filling: Filling): Promise<boolean> {
  const { db, page } = filling
  const { siteNo, visitorNo } = filling.person
  if (visitorNo === 0) return true
  return walkOn(filling, NO_KEY.other, async (span, after, limit) => {
    const rows = await selectHits(db, { siteNo, visitorNo, sessionNo: null, ...span, ...after, limit })
    page.hits.push(...rows.map(presentHit))
    return moveBehind(filling, rows, limit)
  })
}

/** Chunks of replays that are read at once. */
const MOST_CHUNKS = 100
/** Sessions that are read at once. */
const MOST_SESSIONS = 50

async function fillVisits(filling: Filling): Promise<boolean> {
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
      page.sessions.push(presentSession(session))
      filling.room -= 1
      const started = { at: session.startedAt.getTime(), key: String(session.sessionNo) }
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
  if (session) return addHits(filling, { ...session, sessionNo })
  moveTo(filling, cursor.after!)
  return true
}

/** Adds the hits of a session after the cursor. @returns whether these were all */
async function addHits(
  filling: Filling,
  session: Pick<SessionRow, 'visitorNo' | 'sessionNo' | 'firstAt' | 'lastAt'>,
): Promise<boolean> {
  const { db, person, cursor, room } = filling
  const after = cursor.after!
  const hit = cursor.hit!
  if (room === 0) return false
  const rows: HitRow[] = await selectHits(db, {
    siteNo: person.siteNo,
    visitorNo: session.visitorNo,
    sessionNo: session.sessionNo,
    start: session.firstAt,
    end: new Date(Math.min(session.lastAt.getTime() + AFTER_SESSION_MS, cursor.until)),
    afterAt: new Date(hit.at),
    afterKey: hit.key,
    limit: room,
  })
  filling.page.hits.push(...rows.map(presentHit))
  filling.room -= rows.length
  const latest = rows.at(-1)
  const isDone = rows.length < room
  moveTo(filling, after, isDone || !latest ? null : { at: latest.at.getTime(), key: latest.id })
  return isDone
}

/** Adds the visitor and the user that come up with a session. */
async function addPeople({ db, person, page, visitorId }: Filling, session: SessionRow): Promise<void> {
  const { siteNo } = person
  const { visitorNo, userId } = session
  if (session.isFirstOfVisitor) {
    const found = await selectVisitors(db, {
      siteNo,
      visitorNos: [visitorNo],
      visitorId: null,
      identifier: '',
    })
    const isNew = (row: { visitorId: string; pendingIdentifier: string | null }) =>
      row.visitorId !== visitorId && row.pendingIdentifier !== page.person
    page.visitors.push(...found.filter(isNew).map(presentVisitor))
  }
  if (session.isFirstOfUser && userId !== '' && userId !== page.person) {
    page.identities.push(
      ...(await selectIdentities(db, { siteNo, identifiers: [userId] })).map(presentIdentity),
    )
  }
}

async function fillPayments(filling: Filling): Promise<boolean> {
  const { db, person, visitorId, cursor, room, page } = filling
  if (room === 0) return false
  const { siteNo, identifier } = person
  const paid = await selectPaidSessions(db, { siteNo, identifier })
  const customers = await selectCustomers(db, {
    siteNo,
    person: page.person,
    visitorIds: visitorId ? [visitorId] : [],
    sessionNos: paid.map(({ sessionNo }) => sessionNo),
  })
  const rows = await selectPayments(db, {
    siteNo,
    customers: customers.map(({ customer }) => customer),
    until: new Date(cursor.until),
    afterAt: new Date(cursor.after?.at ?? EARLIEST),
    afterKey: cursor.after?.key ?? NO_KEY.other,
    limit: room,
  })
  page.payments.push(...rows.map(presentPayment))
  filling.room -= rows.length
  const latest = rows.at(-1)
  if (latest) moveTo(filling, { at: latest.paidAt.getTime(), key: latest.id })
  return rows.length < room
}
