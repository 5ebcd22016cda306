import type { Db, Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { selectCustomers } from '../customers.ts'
import { addItems, type Erasure, itemsOf, numbersOf, type Outcome } from './items.ts'

/** Visitors that were asked for, and those that have lost all their sessions. */
const selectGone = query<
  { siteNo: number; asked: number[]; touched: number[] },
  { visitorNo: number; id: string }
>(
  'select-gone-visitors',
  `select visitor_no as "visitorNo", id
  from visitors
  where site_no = :siteNo::int
    and (
      visitor_no = any(:asked::int[])
      or visitor_no = any(:touched::int[])
      and visitor_no <> all(array(
        select visitor_no from sessions where site_no = :siteNo::int and visitor_no = any(:touched::int[])
      ))
    )`,
)

/**
 * Finds which visitors and customers of the ledger the person is, before anything of the ledger changes.
 * @see docs/decisions/030-erasure.md
 */
export async function resolvePerson(db: Db, erasure: Erasure): Promise<Outcome> {
  await db.begin(async tx => {
    await resolveVisitors(tx, erasure)
    const { siteNo, person } = erasure
    const visitorIds = await itemsOf(tx, erasure, 'linked')
    const sessionNos = await numbersOf(tx, erasure, 'session')
    const found = await selectCustomers(tx, { siteNo, person, visitorIds, sessionNos })
    await addItems(
      tx,
      erasure,
      'customer',
      found.map(({ customer }) => customer),
    )
  })
  return 'done'
}

async function resolveVisitors(tx: Transaction, erasure: Erasure): Promise<void> {
  const asked = await numbersOf(tx, erasure, 'visitor')
  const touched = await numbersOf(tx, erasure, 'touched')
  const gone = await selectGone(tx, { siteNo: erasure.siteNo, asked, touched })
  await addItems(
    tx,
    erasure,
    'gone',
    gone.map(({ visitorNo }) => visitorNo),
  )
  await addItems(
    tx,
    erasure,
    'linked',
    gone.map(({ id }) => id),
  )
}
