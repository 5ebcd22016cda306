import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { deriveFileFacts, storeFileFacts } from '../../../src/money/import/file-facts.ts'
import type { ImportRow } from '../../../src/money/import/import-row.ts'
import { countAccount, importSite } from '../../../src/money/import/import-site.ts'
import { startRevenueImports } from '../../../src/money/import/import-worker.ts'
import { PHASES } from '../../../src/money/import/phases.ts'
import { beginImport } from '../../../src/money/import/present-import.ts'
import type { ReadFact } from '../../../src/money/import/store-facts.ts'
import { purgePayments } from '../../../src/money/ledger/change-payment.ts'
import { fileId, UNLINKED } from '../../../src/money/processor/event.ts'
import { reconcileMrr } from '../../../src/money/subscriptions/reconcile-mrr.ts'
import { EVENT_KINDS } from '../../../src/outgoing/notifications/webhooks/kinds.ts'
import { eraseNow, tracesOf } from '../../outgoing/people/steps.ts'
import { adminCommand } from '../../support/admin-command.ts'
import { outcomeOf, paymentsOf, standingsOf } from '../../support/shop-outcome.ts'
import {
  addReceiver,
  connect,
  coupon,
  deliverAll,
  discount,
  netMovements,
  openShop,
  type Shop,
} from '../../support/stripe.ts'
import { type Account, openAccount } from '../../support/stripe-account.ts'
import { apiWithLists } from '../../support/stripe-lists.ts'

const DAY = 86_400
const START = Date.UTC(2025, 2, 1, 9) / 1000

const { api, stripe } = apiWithLists()
beforeEach(() => {
  stripe.lists = fill().lists()
  stripe.troubles = []
  stripe.forbidden.clear()
  stripe.eventsSince = Number.POSITIVE_INFINITY
})

let accounts = 0

/** Three customers: one pays on, one was upgraded and has ended, one bought once in euros. */
function fill(): Account {
  const account = openAccount(`S${++accounts}x`)
  const [basic, gold] = [account.price(1000), account.price(4000)]
  const [ann, bob, eve] = [1, 2, 3].map(number => account.customer(START + number).id)
  const lives = [
    account.subscribe(START + DAY, { customer: ann, price: basic, quantity: 2, trialDays: 14 }),
    account.subscribe(START + DAY, { customer: bob, price: basic }),
  ]
  account.change(lives[1]!, START + 10 * DAY, 0, { price: gold, quantity: 1 })
  account.cancel(lives[1]!, START + 70 * DAY)
  account.until(lives[0]!, START + 80 * DAY)
  account.refund(account.charges[0]!.id, START + 81 * DAY, 400)
  account.buy(START + 5 * DAY, { customer: eve, amount: 2500 })
  return account
}

const open = () => openShop(api, { apiKey: 'rk_test_good' })
/** Opens a shop with what an account of one customer has. */
function openWith(fillAccount: (account: Account, customer: string) => void) {
  const account = openAccount(`S${++accounts}x`)
  fillAccount(account, account.customer(START).id)
  stripe.lists = account.lists()
  return open()
}
const begin = ({ siteId: id, siteNo }: Shop) => beginImport(api.services, { id, siteNo, timezone: 'UTC' }, {})
const stateOf = async (shop: Shop) =>
  (await api.call('GET', `/api/sites/${shop.siteId}/processor/import`, shop.member)).body

/** Lets the service work until something is so. */
async function serve<State>(read: () => Promise<State> | State, expected: State): Promise<void> {
  const imports = startRevenueImports(api.services, { askMs: 20 })
  await expect.poll(read).toEqual(expected).finally(imports.stop)
}

test('import of the past: a dry run stores nothing and counts what the import finds; a second import changes nothing', async () => {
  const shop = await open()
  const dry = await countAccount(api.services, shop.siteId)
  expect((await paymentsOf(shop)).payments).toEqual([])
  const { counts, state } = await importSite(api.services, shop.siteId)
  expect(state).toBe('finished')
  expect(counts).toEqual(dry)
  const before = await outcomeOf(shop)
  const sumOf = (field: string) => before.payments.reduce((sum, row) => sum + row[field], 0)
  expect(counts.payments).toEqual({
    USD: { count: before.payments.length, amount: String(sumOf('amount_minor')) },
  })
  expect(sumOf('refunded_minor')).toBe(400)
  expect(await netMovements(shop)).toEqual({
    '2025-03-02 start USD': 1000,
    '2025-03-11 upgrade USD': 3000,
    '2025-03-16 start USD': 2000,
    '2025-05-10 end USD': -4000,
  })
  await importSite(api.services, shop.siteId)
  expect(await outcomeOf(shop)).toEqual(before)
  const sums = { ours: 2000, processor: 2000, drift: [] }
  expect(await reconcileMrr(api.services, shop.siteId)).toMatchObject(sums)
})

test('import of the past: discounts of a single sale change no MRR, as in the comparison with the processor', async () => {
  const shop = await openWith((account, customer) => {
    const life = account.subscribe(START + DAY, { customer, price: account.price(1000) })
    account.until(life, START + 40 * DAY)
  })
  const { customers, invoices, subscriptions } = stripe.lists
  const ofSale = (field: string) => discount(coupon({ percent_off: 50 }), { [field]: `${field}_1` })
  for (const customer of customers!) customer.discount = ofSale('checkout_session')
  for (const each of invoices!) {
    each.discounts = [ofSale('invoice')]
    for (const line of each.lines.data) line.discounts = [ofSale('invoice_item')]
  }
  for (const each of subscriptions!) each.discounts = [ofSale('invoice')]
  await importSite(api.services, shop.siteId)
  expect(await netMovements(shop)).toEqual({ '2025-03-02 start USD': 1000 })
  expect(await reconcileMrr(api.services, shop.siteId)).toMatchObject({ processor: 1000, drift: [] })
})

test('import of the past: too many requests, failures and cut connections are waited for, as long as Stripe asks', {
  tags: ['full'],
}, async () => {
  const [calm, rough] = [await open(), await open()]
  await importSite(api.services, calm.siteId)
  stripe.troubles = ['rate limit', undefined, 'cut', 'server error', undefined, 'rate limit', 'cut']
  const pauses: number[] = []
  await importSite(api.services, rough.siteId, { pause: async seconds => pauses.push(seconds) })
  expect(pauses.length).toBeGreaterThanOrEqual(4)
  expect(pauses[0]).toBeGreaterThanOrEqual(1)
  expect(await outcomeOf(rough)).toEqual(await outcomeOf(calm))
})

test('import of the past: an import that was stopped is continued where it was, by the service, too', async () => {
  const [whole, stopped] = [await open(), await open()]
  await importSite(api.services, whole.siteId)
  for (const most of [3, 9]) {
    let steps = 0
    const onStep = () => {
      if (++steps === most) throw new Error('killed')
    }
    await expect(importSite(api.services, stopped.siteId, { onStep })).rejects.toThrow('killed')
  }
  const asked = stripe.asked.length
  await serve(async () => (await stateOf(stopped)).state, 'finished')
  expect(stripe.asked.slice(asked).some(path => path.startsWith('customers'))).toBe(false)
  expect(await outcomeOf(stopped)).toEqual(await outcomeOf(whole))
})

test('import of the past: a process that died leaves an import that others take over after its time', {
  tags: ['full'],
}, async () => {
  const shop = await open()
  await begin(shop)
  const { db } = api.services
  await db`update revenue_imports set holder = gen_random_uuid(), held_until = now() + interval '1 minute' where site_no = ${shop.siteNo}`
  const other = await open()
  await begin(other)
  await serve(async () => (await stateOf(other)).state, 'finished')
  expect((await paymentsOf(shop)).payments).toEqual([])
  await db`update revenue_imports set held_until = now() - interval '1 second' where site_no = ${shop.siteNo}`
  await serve(async () => (await stateOf(shop)).state, 'finished')
  expect((await paymentsOf(shop)).payments.length).toBeGreaterThan(0)
})

test('import of the past: only payments from a day on are read with --from, and every subscription that lives after it', {
  tags: ['full'],
}, async () => {
  const shop = await open()
  const from = new Date((START + 75 * DAY) * 1000)
  await importSite(api.services, shop.siteId, { from })
  const { payments } = await paymentsOf(shop)
  expect(payments.every(({ paid_at }) => paid_at >= from)).toBe(true)
  expect((await standingsOf(shop)).subscriptions).toHaveLength(1)
  expect((await reconcileMrr(api.services, shop.siteId)).drift).toEqual([])
})

test('import of the past: payments that were purged are recorded again by the next import, with their refunds', {
  tags: ['full'],
}, async () => {
  const shop = await open()
  await importSite(api.services, shop.siteId)
  const before = await outcomeOf(shop)
  expect(await purgePayments(api.services.db, shop, 'USD')).toBe(before.payments.length)
  await importSite(api.services, shop.siteId)
  expect(await outcomeOf(shop)).toEqual(before)
})

test('import of the past: a refund that failed meanwhile is undone, and one that a file reports too counts once', {
  tags: ['full'],
}, async () => {
  const shop = await open()
  await importSite(api.services, shop.siteId)
  const before = await outcomeOf(shop)
  const refunded = before.payments.find(({ refunded_minor }) => refunded_minor === 400)!
  const { transaction_id: id, amount_minor: amount, paid_at } = refunded
  const ids = { ...UNLINKED, eventId: fileId(id), objectId: id, saleIds: [id] }
  const { db, log } = api.services
  const say = async (refundedMinor: number) => {
    const fact: ReadFact = { ...ids, kind: 'charge', at: paid_at, body: { refundedMinor } }
    await storeFileFacts(db, shop.siteNo, [fact])
    await deriveFileFacts({ db, log }, shop.siteNo)
    const { payments } = await paymentsOf(shop)
    return payments.find(row => row.transaction_id === id)!.refunded_minor
  }
  const left = [await say(400), await say(450), await say(amount + 1), await say(0)]
  expect(left).toEqual([400, 450, amount, 400])
  for (const charge of stripe.lists.charges!) charge.amount_refunded = 0
  await importSite(api.services, shop.siteId)
  const { payments } = await paymentsOf(shop)
  expect(payments.map(row => row.refunded_minor)).toEqual(before.payments.map(() => 0))
})

test('import of the past: a person who was erased does not come back, and no amount changes', {
  tags: ['full'],
}, async () => {
  const visitor = randomUUID()
  const shop = await openWith((account, customer) => {
    const metadata = { visitor_id: visitor }
    account.subscribe(START + DAY, { customer, price: account.price(1000), metadata })
    account.buy(START + 5 * DAY, { customer, amount: 2500, visitor })
  })
  const { db } = api.services
  const amounts = async () => ({
    ...(await standingsOf(shop)).customers,
    ...(await paymentsOf(shop)).revenue,
  })
  await importSite(api.services, shop.siteId)
  const before = await amounts()
  await eraseNow(db, { ...shop, id: shop.siteId, key: shop.siteId }, visitor, new Date())
  await importSite(api.services, shop.siteId)
  expect(await tracesOf(db, visitor)).toEqual([])
  const people = await db`select distinct email, name from payments where site_no = ${shop.siteNo}`
  expect(people).toEqual([{ email: null, name: null }])
  expect(await amounts()).toEqual(before)
})

test('import of the past: a subscription whose MRR is beyond exact numbers, and a payment beyond 10^12 minor units, are named', async () => {
  const shop = await openWith((account, customer) => {
    account.subscribe(START + DAY, { customer, price: account.price(9e12), quantity: 1_000 })
  })
  await importSite(api.services, shop.siteId)
  const named = (id: RegExp, reason: string) => ({
    id: expect.stringMatching(id),
    reason: expect.stringContaining(reason),
  })
  expect(await stateOf(shop)).toMatchObject({
    state: 'finished',
    unreadable: [named(/^in_/, 'at most 1000000000000'), named(/^sub_/, 'beyond exact numbers')],
    unreadable_total: 2,
  })
  expect((await paymentsOf(shop)).payments).toEqual([])
})

test('import of the past: amounts in other currencies are kept, and the MRR of the site has none of them', async () => {
  const shop = await openWith((account, customer) => {
    const price = account.price(3000, { currency: 'eur' })
    account.subscribe(START + DAY, { customer, price }).object.currency = 'eur'
  })
  for (const invoice of stripe.lists.invoices!) invoice.currency = 'eur'
  const { counts } = await importSite(api.services, shop.siteId)
  expect(counts.payments).toEqual({ EUR: { count: 1, amount: '3000' } })
  expect(await netMovements(shop)).toEqual({ '2025-03-02 start EUR': 3000 })
})

test('import of the past: an event that comes before the past is derived announces what it changes, and nothing of the past', {
  tags: ['full'],
}, async () => {
  const account = openAccount(`N${++accounts}x`)
  const [basic, gold] = [account.price(1000), account.price(4000)]
  const { id: customer } = account.customer(START)
  const life = account.subscribe(START + DAY, { customer, price: basic, trialDays: 14 })
  account.until(life, START + 80 * DAY)
  stripe.lists = account.lists()
  const shop = await open()
  const { db } = api.services
  await addReceiver(shop, EVENT_KINDS)
  const onStep = ({ phase }: ImportRow) => {
    if (phase === PHASES.at(-1)) throw new Error('killed')
  }
  await expect(importSite(api.services, shop.siteId, { onStep })).rejects.toThrow('killed')
  const known = account.events.length
  const at = START + 82 * DAY
  account.change(life, at, 0, { price: gold, quantity: 1 })
  await deliverAll(shop, account.events.slice(known))
  await importSite(api.services, shop.siteId)
  const told = await db`select type, occurred_at from outgoing_events where site_no = ${shop.siteNo}`
  expect(told.map(({ type }) => type)).toContain('subscription.upgraded')
  expect(told.filter(({ occurred_at }) => occurred_at < new Date(at * 1000))).toEqual([])
})

test('imports in the service: an account that does not answer holds up neither other sites nor the end of the process', {
  tags: ['full'],
}, async () => {
  const [silent, other] = [await open(), await open()]
  stripe.troubles = ['silence']
  await begin(silent)
  const imports = startRevenueImports(api.services, { askMs: 20 })
  await expect.poll(() => stripe.troubles).toEqual([])
  await begin(other)
  await expect.poll(async () => (await stateOf(other)).state).toBe('finished')
  await imports.stop()
  expect(await stateOf(silent)).toMatchObject({ state: 'running', phase: 'customers', failure: null })
  await serve(async () => (await stateOf(silent)).state, 'finished')
  expect(await outcomeOf(silent)).toEqual(await outcomeOf(other))
})

test('a team has three places: an import of another team begins at once, also beside accounts that do not answer', async () => {
  const shops = await Promise.all([open(), open(), open(), open()])
  const other = await open()
  stripe.troubles = ['silence', 'silence', 'silence']
  for (const shop of shops) {
    await api.services.db`
      update sites set team_id = (select team_id from sites where site_no = ${shops[0]!.siteNo})
      where site_no = ${shop.siteNo}`
    await begin(shop)
  }
  const imports = startRevenueImports(api.services, { askMs: 20 })
  await expect.poll(() => stripe.troubles).toEqual([])
  await begin(other)
  await expect
    .poll(async () => (await stateOf(other)).state)
    .toBe('finished')
    .finally(imports.stop)
  const left = await api.services.db`
    select reached, holder from revenue_imports
    where site_no = any(${shops.map(({ siteNo }) => siteNo)}) and state = 'running' and phase = 'customers'`
  expect(left).toEqual(shops.map(() => ({ reached: null, holder: null })))
  for (const { siteNo } of shops) await api.services.db`delete from revenue_imports where site_no = ${siteNo}`
})

test('turns of imports: while more imports wait than there are places, each gives its place back after its slice, and goes on later', async () => {
  const shops = await Promise.all([open(), open(), open(), open(), open()])
  for (const shop of shops) await begin(shop)
  stripe.asked = []
  const states = async () => new Set(await Promise.all(shops.map(async shop => (await stateOf(shop)).state)))
  const imports = startRevenueImports(api.services, { askMs: 20, sliceMs: 0 })
  await expect
    .poll(states)
    .toEqual(new Set(['finished']))
    .finally(imports.stop)
  const first = stripe.asked.filter(asked => /^customers\?(?!.*starting_after)/.test(asked))
  expect(first).toHaveLength(shops.length)
  const isLast = (asked: string) => asked.startsWith('checkout/sessions')
  expect(stripe.asked.lastIndexOf(first[0]!)).toBeLessThan(stripe.asked.findIndex(isLast))
  const outcomes = await Promise.all(shops.map(outcomeOf))
  for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0])
})

const failing = async (shop: Shop) => {
  const stopped = importSite(api.services, shop.siteId, { pause: async () => {} })
  const message = await stopped.catch(error => error.message)
  return { message, body: await stateOf(shop) }
}

test('refusals of an import: without a connected processor, without a key, or before the first import: clear answers', async () => {
  const shop = await openShop(api)
  const call = (method: string, body?: object) =>
    api.call(method, `/api/sites/${shop.siteId}/processor/import`, { ...shop.member, body })
  expect(await call('GET')).toMatchObject({ status: 404 })
  const message = expect.stringContaining('no API key')
  expect(await call('POST', {})).toMatchObject({ status: 400, body: { message } })
  await api.call('DELETE', `/api/sites/${shop.siteId}/processor`, shop.member)
  expect(await call('POST', {})).toMatchObject({ status: 404 })
  await expect(importSite(api.services, shop.siteId)).rejects.toThrow('No payment processor is connected')
})

test('refusals of an import: a wrong key, and a key that may not read something, end the import and say what to do', {
  tags: ['full'],
}, async () => {
  const shop = await openShop(api, { apiKey: 'rk_test_bad' })
  const wrong = await failing(shop)
  expect(wrong.message).toContain('Stripe does not accept the API key')
  expect(wrong.body).toMatchObject({ state: 'failed', failure: wrong.message })
  await connect(api, shop.member, shop.siteId, 'rk_test_good')
  stripe.forbidden.add('invoices')
  const forbidden = await failing(shop)
  expect(forbidden.message).toContain('may not read Invoices')
  stripe.forbidden.clear()
  expect((await importSite(api.services, shop.siteId)).state).toBe('finished')
})

test('refusals of an import: a processor that stays away ends the command, not the import', {
  tags: ['full'],
}, async () => {
  const shop = await open()
  stripe.troubles = Array(50).fill('server error')
  const { message, body } = await failing(shop)
  expect(message).toContain('The processor cannot be asked')
  expect(body.state).toBe('running')
  await serve(async () => typeof (await stateOf(shop)).retry_at, 'string')
  expect(await stateOf(shop)).toMatchObject({ state: 'running', failure: expect.any(String) })
})

test('refusals of an import: revenue:import refuses a day that is none', async () => {
  const shop = await open()
  const { databaseUrl, redisUrl } = api.services.config
  const command = await adminCommand({ databaseUrl: databaseUrl!, redisUrl: redisUrl! })
  const run = await command.run(['revenue:import', '--site', shop.siteId, '--from', '2025-02-30'])
  expect(run.stderr).toContain('It must be a date')
  command.close()
})
