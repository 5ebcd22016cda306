// @module-tag full
import { expect, test } from 'vitest'
import { recomputeAllSites } from '../../../src/money/subscriptions/recompute-queue.ts'
import { MOST_AT_ONCE } from '../../../src/money/subscriptions/recompute-subscription.ts'
import { createTeamTurns } from '../../../src/platform/lib/team-turns.ts'
import { silentLog } from '../../support/log.ts'
import {
  apiOfFile,
  coupon,
  deliver,
  deliverAll,
  discount,
  event,
  item,
  type Json,
  onDay,
  openShop,
  price,
  type Shop,
  subscription,
} from '../../support/stripe.ts'

const api = apiOfFile()

const MANY = 2 * MOST_AT_ONCE + 5
const idOf = (index: number) => `sub_${String(index).padStart(3, '0')}`

/** Opens a shop whose subscriptions cost 1,000 a month and have a coupon of which only the id is known. */
async function openShopWith(count: number): Promise<Shop> {
  const shop = await openShop(api)
  const discounts = [discount('SPRING')]
  const made = Array.from({ length: count }, (_, index) => subscription({ id: idOf(index), discounts }))
  for (let from = 0; from < made.length; from += 20)
    await Promise.all(made.slice(from, from + 20).map(each => deliverAll(shop, [created(each)])))
  return shop
}

const created = (object: Json) => event('customer.subscription.created', object, onDay(1))
const spring = (percent_off: number, fields: Json = {}) => coupon({ id: 'SPRING', percent_off, ...fields })
const announced = event('coupon.created', spring(50), onDay(2))

/** Returns the number of subscriptions for each MRR in the ledger. */
async function standings({ siteNo }: Shop): Promise<Record<string, number>> {
  const rows = await api.services.db<{ mrr: number; count: number }[]>`
    select mrr, count(*)::int as count
    from (
      select sum(amount_minor)::bigint as mrr from mrr_movements where site_no = ${siteNo} group by subscription_id
    ) as standing
    group by mrr`
  return Object.fromEntries(rows.map(({ mrr, count }) => [mrr, count]))
}

const recompute = () => recomputeAllSites({ db: api.services.db, log: silentLog })

test('recompute queue, a coupon of many subscriptions: changed terms of a coupon are applied to all its subscriptions, even after an interruption', async () => {
  const shop = await openShopWith(MANY)
  expect(await standings(shop)).toEqual({ 1000: MANY })
  const { db } = api.services
  const halfway = idOf(MOST_AT_ONCE + 10)
  await db.unsafe(`alter table subscriptions add constraint broken
    check (subscription_id <> '${halfway}' or mrr_minor <> 500) not valid`)
  expect((await deliver(shop, announced)).status).toBe(500)
  await db`alter table subscriptions drop constraint broken`
  expect(await standings(shop)).toEqual({ 500: MOST_AT_ONCE, 1000: MANY - MOST_AT_ONCE })
  expect((await deliver(shop, announced)).status).toBe(200)
  while (await recompute());
  expect(await standings(shop)).toEqual({ 500: MANY })
  expect(await db`select from recompute_queue where site_no = ${shop.siteNo}`).toHaveLength(0)
})

test('recompute queue, a coupon of many subscriptions: a subscription that cannot be computed does not stop the others', async () => {
  const discounts = [discount('SPRING')]
  const items = [item(price(9_000_000_000_000_000))]
  await api.services.db`delete from recompute_queue`
  const shop = await openShop(api)
  await deliverAll(shop, [event('coupon.created', spring(99), onDay(1))])
  const made = Array.from({ length: MANY }, (_, index) => subscription({ id: idOf(index), discounts }))
  await deliverAll(shop, [...made, subscription({ id: 'sub_999', discounts, items })].map(created))
  await deliverAll(shop, [event('coupon.updated', spring(40), onDay(2))])
  while (await recompute());
  expect(await standings(shop)).toEqual({ 600: MANY, 90000000000000: 1 })
})

test('recompute queue, a coupon of many subscriptions: a failing site does not stop another site', async () => {
  const { db } = api.services
  await db`delete from recompute_queue`
  const [failing, fine] = [await openShopWith(1), await openShopWith(1)]
  await deliverAll(fine, [announced])
  await db`update subscriptions set mrr_minor = 1 where site_no = ${fine.siteNo}`
  await db`
    insert into recompute_queue (site_no, subscription_id)
    values (${failing.siteNo}, ${idOf(0)}), (${fine.siteNo}, ${idOf(0)})`
  await db.unsafe(`alter table subscriptions add constraint broken
    check (site_no <> ${failing.siteNo} or mrr_minor <> 1000) not valid`)
  await expect(recompute()).rejects.toThrow('broken')
  await db`alter table subscriptions drop constraint broken`
  const left = await db`select site_no from recompute_queue`
  expect(left.map(row => row.site_no)).toEqual([failing.siteNo])
  const [row] = await db`select mrr_minor from subscriptions where site_no = ${fine.siteNo}`
  expect(row!.mrr_minor).toBe(500)
})

test('teams take turns: a site is computed in the next run, however much another team queues meanwhile', async () => {
  const { db } = api.services
  await db`delete from recompute_queue`
  const [busy, other] = [await openShopWith(1), await openShopWith(1)]
  const enqueue = ({ siteNo }: Shop) =>
    db`insert into recompute_queue (site_no, subscription_id) values (${siteNo}, ${idOf(0)})`
  await enqueue(busy)
  await enqueue(other)
  const teams = createTeamTurns()
  const recomputeOne = async () => {
    const isMore = await recomputeAllSites({ db, log: silentLog }, { teams, hasTime: () => false })
    return { isMore, left: (await db`select site_no from recompute_queue`).map(row => row.site_no) }
  }
  expect(await recomputeOne()).toEqual({ isMore: true, left: [other.siteNo] })
  await enqueue(busy)
  expect(await recomputeOne()).toEqual({ isMore: true, left: [busy.siteNo] })
  while (await recompute());
})

test('recompute queue, a coupon of many subscriptions: nothing changes when the terms stay the same', async () => {
  const shop = await openShopWith(3)
  await deliverAll(shop, [announced])
  const { db } = api.services
  const states = () =>
    db`select subscription_id, updated_at from subscriptions where site_no = ${shop.siteNo} order by 1`
  const before = await states()
  const renamed = spring(50, { name: 'Spring', times_redeemed: 9 })
  await deliverAll(shop, [event('coupon.updated', renamed, onDay(3))])
  expect(await states()).toEqual(before)
  await deliverAll(shop, [event('coupon.updated', spring(20), onDay(4))])
  expect(await standings(shop)).toEqual({ 800: 3 })
})

const tiered = (fields: Json) =>
  item(price(0, { billing_scheme: 'tiered', unit_amount: null, unit_amount_decimal: null, ...fields }))

test('price dependents: every form in which an event names a coupon or price is listed', async () => {
  const shop = await openShop(api)
  const ofCustomer = discount('BY_CUSTOMER', { customer: 'cus_1' })
  const ofSubscription = discount(coupon({ id: 'BY_EVENT', percent_off: 5 }), { subscription: 'sub_1' })
  const whole = subscription({
    id: 'sub_1',
    customer: 'cus_1',
    discounts: ['di_alone', discount('BY_ID'), discount(coupon({ id: 'WHOLE', percent_off: 1 }))],
    items: [
      item(price(100), { discounts: [discount('OF_ITEM'), 'di_other'] }),
      item(price(100, { id: 'price_euro', currency: 'eur' })),
      tiered({ id: 'price_tiers' }),
      tiered({ id: 'price_known', tiers: [{ up_to: null, unit_amount: 5 }] }),
    ],
  })
  await deliverAll(shop, [
    created(whole),
    event('customer.discount.created', ofCustomer, onDay(2)),
    event('customer.discount.created', ofSubscription, onDay(2)),
  ])
  const rows = await api.services.db<{ dependent: string }[]>`
    select object_id || ' ' || holder_id || ' ' || is_customer as dependent
    from price_dependents where site_no = ${shop.siteNo}`
  expect(rows.map(({ dependent }) => dependent).sort()).toEqual([
    ...['BY_CUSTOMER cus_1 true', 'BY_EVENT sub_1 false', 'BY_ID sub_1 false'],
    ...['OF_ITEM sub_1 false', 'WHOLE sub_1 false', 'price_euro sub_1 false'],
    'price_tiers sub_1 false',
  ])
})
