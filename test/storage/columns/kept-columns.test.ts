import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { writeServiceEvents } from '../../../src/money/ledger/service-events.ts'
import {
  mergeNewStamps,
  readStamps,
  type StampKind,
  stampChanges,
} from '../../../src/storage/columns/stamps.ts'
import { dbOf, useDatabase } from '../../support/database.ts'
import { expectKeptColumns } from '../../support/expect-columns.ts'
import { enrichedHit } from '../../support/hits.ts'
import { randomFrom } from '../../support/random-values.ts'
import { randomVisits } from '../../support/random-visits.ts'
import { recountSessions } from '../../support/recount.ts'
import { runs, seeds } from '../../support/runs.ts'
import { createTestSite } from '../../support/sites.ts'
import { storeVisits, withoutRepeatedDrops } from '../../support/stored-visits.ts'

const db = dbOf(useDatabase())
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

test('columns that are kept follow what is stored: late hits, engagement, identities, events of the service', async () => {
  for (const seed of seeds(runs(4))) {
    const random = randomFrom(seed)
    const { zone, hits, late } = randomVisits(seed)
    const times = hits.map(({ at }) => at)
    const span = { start: Math.min(...times), end: Math.max(...times) + 1 }
    const site = await createTestSite(db, { timezone: zone })
    const batches = withoutRepeatedDrops(late, recountSessions(late).dropped)
    await storeVisits(db, site, batches, async () => {
      if (random.chance(0.3)) {
        const event = {
          name: 'payment',
          at: new Date(random.pick(times)),
          key: `${random.int(1_000)}`,
        } as const
        const visitorId = random.pick(hits).visitor
        await db.begin(tx => writeServiceEvents(tx, site, [{ ...event, visitorId }]))
      }
      if (random.chance(0.2)) await mergeNewStamps(db, 1)
      if (random.chance(0.3)) await expectKeptColumns(db, site, span)
    })
    await expectKeptColumns(db, site, span)
  }
})

test('columns of the last days are kept as blocks of minutes, hours and days, which are joined as time goes on', async () => {
  for (const seed of seeds(runs(4))) {
    const random = randomFrom(seed)
    const site = await createTestSite(db)
    const present = Date.now()
    const span = { start: present - 4 * DAY, end: present + DAY }
    const visitors = Array.from(
      { length: 12 },
      (_, no) => `00000000-0000-5000-8000-${String(no).padStart(12, '0')}`,
    )
    let now = present
    for (let step = 0; step < 12; step++) {
      const reach = random.pick([MINUTE, 10 * MINUTE, HOUR, 5 * HOUR, 3 * DAY])
      const sent = Array.from({ length: 1 + random.int(5) }, () => {
        const at = present - random.int(reach)
        return enrichedHit(site, at, { visitorId: random.pick(visitors), url: `/${random.int(4)}` })
      })
      await storeHits(db, 0, sent)
      if (random.chance(0.3)) await mergeNewStamps(db, 1)
      if (random.chance(0.4)) now += random.pick([MINUTE, HOUR, 2 * HOUR, DAY])
      await expectKeptColumns(db, site, span, now)
    }
  }
})

test('stamps: a change changes those of each span around it, and they stay when they move to longer spans', async () => {
  const { siteNo } = await createTestSite(db)
  const now = Date.now()
  const day = (at: number) => ({ start: Math.floor(at / DAY) * DAY, end: (Math.floor(at / DAY) + 1) * DAY })
  const stampsOf = async (kind: StampKind = 'sessions') => {
    const stamps = await readStamps(db, siteNo)
    return [0, 1, 2, 3, 10].map(days => stamps.of(kind, day(now - days * DAY)))
  }
  const stamp = (...times: number[]) =>
    db.begin(tx =>
      stampChanges(
        tx,
        'sessions',
        times.map(at => ({ siteNo, at })),
      ),
    )
  expect(await stampsOf()).toEqual([0n, 0n, 0n, 0n, 0n])
  await stamp(now, now - DAY, now - 2 * DAY)
  const first = await stampsOf()
  expect(first.map(each => each !== 0n)).toEqual([true, true, true, false, false])
  await mergeNewStamps(db, 1)
  expect(await stampsOf()).toEqual(first)
  await stamp(now - 3 * DAY, now - 10 * DAY, now - DAY)
  const second = await stampsOf()
  expect(second.map((each, index) => each === first[index])).toEqual([true, false, true, false, false])
  // What was a minute or an hour becomes old.
  await mergeNewStamps(db, 1)
  await db`update stamps set starts_at = starts_at - interval '3 days' where site_no = ${siteNo}`
  const moved = await stampsOf()
  await stamp(now - 10 * DAY)
  await mergeNewStamps(db, 1)
  const folded = await stampsOf()
  expect(folded.slice(0, 4)).toEqual(moved.slice(0, 4))
  const rows = await db`select distinct minutes from stamps where site_no = ${siteNo}`
  expect(rows).toEqual([{ minutes: 1_440 }])
  expect(await stampsOf('service')).toEqual([0n, 0n, 0n, 0n, 0n])
})

test('columns that are kept: an event of the service follows its session, which another transaction has changed', async () => {
  const site = await createTestSite(db)
  const [start, visitorId] = [Date.UTC(2026, 2, 10), '00000000-0000-5000-8000-00000000000a']
  const span = { start: start + 2 * DAY, end: start + 4 * DAY }
  await storeHits(db, 0, [enrichedHit(site, start, { visitorId })])
  const event = { name: 'payment', at: new Date(start + 3 * DAY), key: 'a', visitorId } as const
  await db.begin(tx => writeServiceEvents(tx, site, [event]))
  await expectKeptColumns(db, site, span)
  const identity = { identifier: 'someone' }
  await storeHits(db, 0, [enrichedHit(site, start + MINUTE, { visitorId, type: 'identify', identity })])
  const [session] = await db`select user_id from sessions where site_no = ${site.siteNo}`
  expect(session).toEqual({ user_id: 'someone' })
  await expectKeptColumns(db, site, span)
})

test('columns of money follow each change of the ledger', async () => {
  const site = await createTestSite(db)
  const present = Date.UTC(2026, 4, 20)
  const span = { start: present - 30 * DAY, end: present }
  const paid = new Date(present - 3 * DAY)
  const moved = new Date(present - 2 * DAY)
  await storeHits(db, 0, [
    enrichedHit(site, present - 4 * DAY, { visitorId: '00000000-0000-5000-8000-000000000001' }),
  ])
  const [session] = await db<{ no: string; at: Date }[]>`
    select session_no::text as no, started_at as at from sessions where site_no = ${site.siteNo}`
  const { siteNo } = site
  const [payment] = await db<{ id: string }[]>`
    insert into payments (site_no, transaction_id, amount_minor, currency, customer, paid_at, source)
    values (${siteNo}, 'first', 500, 'USD', 'c:1', ${paid}, 'api')
    returning id`
  const changes = [
    () => db`
      insert into revenue (site_no, at, payment_id, currency, amount_minor, is_recurring, session_no, session_at)
      values (${siteNo}, ${paid}, ${payment!.id}, 'USD', 500, false, ${session!.no}, ${session!.at})`,
    () => db`update revenue set refunded_minor = 200 where site_no = ${siteNo}`,
    () => db`update payments set customer = 'c:2' where site_no = ${siteNo}`,
    () => db`
      insert into mrr_movements (site_no, at, subscription_id, kind, currency, amount_minor)
      values (${siteNo}, ${moved}, 'sub', 'start', 'USD', 900)`,
    () => db`
      insert into subscriptions (site_no, subscription_id, customer_id, currency, status, mrr_minor, state)
      values (${siteNo}, 'sub', '1', 'USD', 'active', 900, '{}')`,
    () => db`select from derive_mrr_changes(${siteNo}, ${['c:1', 's:sub']})`,
    () => db`update subscriptions set customer_id = '3' where site_no = ${siteNo}`,
    () =>
      db`update mrr_movements set session_no = ${session!.no}, session_at = ${session!.at} where site_no = ${siteNo}`,
    () => db`delete from mrr_movements where site_no = ${siteNo}`,
    () => db`delete from revenue where site_no = ${siteNo}`,
    () => db`delete from payments where site_no = ${siteNo}`,
  ]
  for (const change of changes) {
    await change()
    await expectKeptColumns(db, site, span, present)
  }
})
