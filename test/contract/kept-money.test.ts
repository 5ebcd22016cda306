// @module-tag full
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recomputeSubscriptions } from '../../src/money/subscriptions/recompute-subscription.ts'
import { projectRoot } from '../../src/platform/config/config.ts'
import type { Queryable, Transaction } from '../../src/platform/db/connect.ts'
import { dialect } from '../../src/platform/db/dialects/chosen-dialect.ts'
import { runs, seeds } from '../support/runs.ts'
import { event, invoice } from '../support/stripe.ts'
import { randomMoney } from './random-money.ts'
import { revenueOfFile } from './revenue-shop.ts'
import { ADA, BEN, hit, type StatsSite } from './stats-site.ts'

// What triggers keep of money, compared with what the migration makes of the same payments and subscriptions at once.

const MIGRATION = readFileSync(join(projectRoot, 'sql', 'migrations', '0022_money.sql'), 'utf8')

const revenue = revenueOfFile()

/** A session that money was attributed to stays after the money has gone; the migration does not find it. */
const ofMoney = ({ sessions, ...others }: Awaited<ReturnType<typeof keptMoney>>, left: number[]) => ({
  ...others,
  sessions: sessions.filter(row => left.includes(row.session_no)),
})

const keptMoney = async (db: Queryable, { siteNo }: StatsSite) => ({
  customers: await db`select * from customers where site_no = ${siteNo} order by customer, currency`,
  changes: await db`select * from mrr_changes where site_no = ${siteNo} order by customer, currency, at`,
  sessions: await db`select * from money_sessions where site_no = ${siteNo} order by session_no`,
  subscriptions: await db`
    select subscription_id, started_at, ended_at from subscriptions where site_no = ${siteNo} order by 1`,
})

/** Takes back what the migration made: the database is then as the version before left it. */
async function undo(transaction: Transaction) {
  const made = (pattern: RegExp) => [...MIGRATION.matchAll(pattern)]
  for (const [, name, table] of made(/^create (?:constraint )?trigger (\w+)[^;]*? on (\w+)/gm)) {
    await transaction`drop trigger ${transaction(name!)} on ${transaction(table!)}`
  }
  for (const [, name] of made(/^create table (\w+)/gm))
    await transaction`drop table ${transaction(name!)} cascade`
  for (const [, name] of made(/^create function (\w+)/gm))
    await transaction`drop function ${transaction(name!)}`
  for (const [, name] of made(/^create index (\w+)/gm))
    await transaction`drop index if exists ${transaction(name!)}`
  await transaction`alter table subscriptions drop column started_at, drop column ended_at`
}

class Undone extends Error {}

test('kept money: the migration makes of payments and subscriptions what triggers kept of them', async context => {
  context.skip(dialect().name === 'citus', 'no database of Citus is older than this migration')
  const { db } = revenue.api.services
  const sites: StatsSite[] = []
  for (const seed of seeds(runs(2))) {
    const site = await revenue.shop()
    await randomMoney(revenue, site, seed)
    sites.push(site)
  }
  const kept = await Promise.all(sites.map(site => keptMoney(db, site)))
  for (const rows of kept.flatMap(Object.values)) expect(rows.length).toBeGreaterThan(0)
  const migrated = db.begin(async transaction => {
    await undo(transaction)
    await transaction.unsafe(MIGRATION)
    for (const [index, site] of sites.entries()) {
      const queued =
        await transaction`select subscription_id as id from recompute_queue where site_no = ${site.siteNo}`
      await recomputeSubscriptions(
        transaction,
        site.siteNo,
        queued.map(({ id }) => id),
      )
      const made = await keptMoney(transaction, site)
      const left = made.sessions.map(row => row.session_no)
      expect(made, `seed ${index + 1}`).toEqual(ofMoney(kept[index]!, left))
    }
    throw new Undone()
  })
  await expect(migrated).rejects.toThrow(Undone)
})

test('first visit: money of every currency decides, whichever came first', async () => {
  const site = await revenue.shop()
  await revenue.store([
    hit(site, '2026-01-05T10:00:00Z', { visitorId: ADA, url: '/first' }, { source: 'Google' }),
    hit(site, '2026-01-06T10:00:00Z', { visitorId: BEN, url: '/second' }, { source: 'Bing' }),
  ])
  const paidAt = Date.UTC(2026, 0, 7) / 1000
  const paid = (currency: string, visitor_id: string) =>
    event('invoice.paid', invoice({ currency, customer: 'cus_1', paidAt, metadata: { visitor_id } }), paidAt)
  await revenue.deliverAll(site, [paid('eur', ADA), paid('usd', BEN)])
  const { data } = await revenue.read(site, '/stats/money/customers')
  expect(data).toMatchObject([{ id: 'c:cus_1', first_visit: { source: 'Google', entry_path: '/first' } }])
})
