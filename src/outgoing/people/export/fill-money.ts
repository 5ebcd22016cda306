import { presentPayment } from '../../../money/site-payments.ts'
import { selectCustomers } from '../customers.ts'
import { EARLIEST } from '../next-row.ts'
import { type Filling, moveBehind, moveTo, NO_KEY, walkOn } from './filling.ts'
import { itemOf } from './present.ts'
import { selectPaidSessions, selectPayments, selectServiceEvents } from './read-money.ts'

/** Fills a page with payments of the customers that the person is. @returns whether there are no more */
export async function fillPayments(filling: Filling): Promise<boolean> {
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

/** Fills a page with events that the service wrote. @returns whether there are no more */
export const fillServiceEvents = (filling: Filling): Promise<boolean> =>
  walkOn(filling, NO_KEY.other, async (span, after, limit) => {
    const { db, person, page } = filling
    const rows = await selectServiceEvents(db, { ...person, ...span, ...after, limit })
    page.service_events.push(...rows.map(itemOf<'service_events'>))
    return moveBehind(filling, rows, limit)
  })
