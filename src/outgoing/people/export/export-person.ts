import type { Audit } from '../../../access/audit/audit.ts'
import { limitTime } from '../../../platform/lib/time-budget.ts'
import type { Services } from '../../../platform/services.ts'
import { requirePerson, visitorIdOf } from '../../../stats/people/find-person.ts'
import type { ExportPerson } from '../../../stats/people/person-schema.ts'
import { type Cursor, firstCursor, PARTS, readCursor, writeCursor } from './cursor.ts'
import { fillPayments, fillServiceEvents } from './fill-money.ts'
import { fillReplays } from './fill-replays.ts'
import { fillLooseHits, fillVisits } from './fill-visits.ts'
import { type Filling, moveBehind, NO_KEY, walkOn } from './filling.ts'
import { itemOf, visitorOf } from './present.ts'
import { selectIdentities, selectVisitors, selectWebVitals } from './read-visits.ts'
import type { PersonExport } from './schema.ts'

/** Time after which a page ends, whatever it has: the caller gets no answer after ten seconds. */
const BUDGET_MS = 3_000
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
  const filling: Filling = {
    db,
    person: { siteNo, visitorNo: 0, identifier: person },
    visitorId,
    page,
    room: per_page,
    hasTime: limitTime(BUDGET_MS),
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
  person.visitorNo = visitors.find(visitor => visitor.visitor_id === visitorId)?.visitorNo ?? 0
  // A search for the sessions of a user reads all sessions of the site.
  if (identities.length === 0 && person.visitorNo !== 0) person.identifier = ''
  if (!isFirstPage) return
  page.visitors.push(...visitors.map(visitorOf))
  page.identities.push(...identities.map(itemOf<'identities'>))
}

const fillVitals = (filling: Filling): Promise<boolean> =>
  walkOn(filling, NO_KEY.other, async (span, after, limit) => {
    const { db, person, page } = filling
    const rows = await selectWebVitals(db, { ...person, ...span, ...after, limit })
    page.web_vitals.push(...rows.map(itemOf<'web_vitals'>))
    return moveBehind(filling, rows, limit)
  })

/** Fills a page with rows of a part. @returns whether the part is complete */
const FILL: Record<Cursor['part'], (filling: Filling) => Promise<boolean>> = {
  visits: fillVisits,
  loose: fillLooseHits,
  vitals: fillVitals,
  replays: fillReplays,
  payments: fillPayments,
  service: fillServiceEvents,
}
