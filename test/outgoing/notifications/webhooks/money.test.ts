import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { erasePeople } from '../../../../src/outgoing/people/erase/erase-people.ts'
import { purgeDeletedSites } from '../../../../src/outgoing/retention/purge-deleted-sites.ts'
import { silentLog } from '../../../support/log.ts'
import { ofFile } from '../../../support/of-file.ts'
import * as stripe from '../../../support/stripe.ts'
import { startWorld } from './world.ts'

const world = ofFile(startWorld)

const KINDS =
  'payment.paid payment.refunded subscription.started subscription.upgraded subscription.ended'.split(' ')

async function connected(kinds = KINDS) {
  const site = await world.site()
  await world.call('PUT', `${site.id}/processor`, { provider: 'stripe', webhook_secret: stripe.SECRET })
  const webhook = await world.webhook(site.id, { kinds })
  // Stripe's events of these tests lie in the past.
  await world.db`update webhook_endpoints set active_since = '2026-01-01' where id = ${webhook.id}`
  const deliver = (event: stripe.StripeEvent) => stripe.deliver({ api: world.api, siteId: site.id }, event)
  const told = () => world.receiver.of(webhook.path).map(({ json }) => [json.type, json.data])
  return { site, webhook, deliver, told }
}

test('webhooks: subscriptions and their payments are told once, whatever comes twice or late', async () => {
  const { deliver, told } = await connected()
  const basic = stripe.price(1_000)
  const pro = stripe.price(3_000)
  const subscription = stripe.subscription({ items: [stripe.item(basic)] })
  const started = stripe.event('customer.subscription.created', subscription, stripe.onDay(1))
  const upgraded = stripe.event(
    'customer.subscription.updated',
    { ...subscription, items: { ...subscription.items, data: [stripe.item(pro)] } },
    stripe.onDay(3),
  )
  for (const event of [upgraded, started, started, upgraded]) await deliver(event)
  await world.run()
  const names = told().map(([type]) => type)
  expect(names.filter(name => name === 'subscription.upgraded')).toHaveLength(1)
  expect(names.filter(name => name === 'subscription.started')).toHaveLength(1)
  const [, data] = told().find(([type]) => type === 'subscription.upgraded')!
  expect(data).toMatchObject({
    subscription_id: subscription.id,
    mrr: 3_000,
    currency: 'USD',
    status: 'active',
  })
})

test.each([
  ['a second before an event is told', 'is read', null, 1, 1],
  ['two days before an event is not told', 'is read', null, 2 * 86_400, 0],
  ['two days before an event is told', 'could not be worked out', 'no such price', 2 * 86_400, 1],
])('webhooks: a renewal %s while the past %s', async (_, __, failure, seconds, count) => {
  const { site, deliver, told } = await connected(['subscription.renewed'])
  const subscription = stripe.subscription({ items: [stripe.item(stripe.price(1_000))] })
  const paidAt = stripe.onDay(10)
  const cycle = { subscription: subscription.id, billing_reason: 'subscription_cycle', paidAt }
  await deliver(stripe.event('customer.subscription.created', subscription, stripe.onDay(1)))
  await world.db`
    insert into revenue_import_work (site_no, kind, id, failure) values (${site.siteNo}, 'sale', 'in_past', ${failure})`
  await deliver(stripe.event('invoice.paid', stripe.invoice(cycle), paidAt + seconds))
  await world.run()
  expect(told()).toHaveLength(count)
})

test('webhooks: money that an erasure or a repair records anew is no news', async () => {
  const { site, told } = await connected()
  const visitorId = randomUUID()
  const pay = (body: object) =>
    world.call('POST', `${site.id}/payments`, {
      amount: 100,
      currency: 'USD',
      transaction_id: randomUUID(),
      ...body,
    })
  await pay({ visitor_id: visitorId, customer_id: 'cus_gone' })
  await pay({ customer_id: 'cus_stays' })
  await world.run()
  expect(told()).toHaveLength(2)
  const asked = await world.api.call('DELETE', `/api/sites/${site.id}/visitors/${visitorId}`, {
    token: world.owner.token,
  })
  expect(asked.status).toBeLessThan(300)
  for (let round = 0; round < 20; round++) await erasePeople({ db: world.db, log: silentLog }, world.now())
  await world.run()
  expect(told()).toHaveLength(2)
  const left = await world.db`select customer from outgoing_events where site_no = ${site.siteNo}`
  expect(left.map(({ customer }) => customer)).toEqual(['c:cus_stays'])
})

test('webhooks: nothing of a deleted site is left', async () => {
  const { site, webhook, told } = await connected()
  const pay = () =>
    world.call('POST', `${site.id}/payments`, { amount: 100, currency: 'USD', transaction_id: randomUUID() })
  await pay()
  await world.run()
  await pay()
  await world.api.call('DELETE', `/api/sites/${site.id}`, { token: world.owner.token })
  await world.run()
  expect(told()).toHaveLength(1)
  await purgeDeletedSites(world.db, new Date(world.clock.at + 3_600_000))
  const left = await world.db`
    select 1 from webhook_endpoints where id = ${webhook.id}
    union all select 1 from outgoing_events where site_no = ${site.siteNo}
    union all select 1 from webhook_deliveries where site_no = ${site.siteNo}
    union all select 1 from webhook_attempts where site_no = ${site.siteNo}`
  expect(left).toEqual([])
})
