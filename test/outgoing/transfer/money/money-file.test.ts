import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { purgePayments } from '../../../../src/money/ledger/change-payment.ts'
import { importMoneyFile } from '../../../../src/outgoing/transfer/money/money-kind.ts'
import { openLocalFile } from '../../../../src/outgoing/transfer/read/local-file.ts'
import { createRefresher } from '../../../../src/storage/rollups/keep-refreshed.ts'
import { expectRefused, printed, temporaryFolder } from '../../../scripts/command.ts'
import { adminCommand } from '../../../support/admin-command.ts'
import { startApi } from '../../../support/api.ts'
import { ALONE } from '../../../support/import-services.ts'
import { ofFile } from '../../../support/of-file.ts'
import { runs, seeded } from '../../../support/runs.ts'
import { movementsOf, paymentsOf, standingsOf } from '../../../support/shop-outcome.ts'

const api = ofFile(startApi)
const folder = temporaryFolder()

const HEAD =
  'type,id,at,amount,currency,customer,subscription,refunded,payment,status,interval,interval_count,quantity,email,visitor,ending'
const CSV = `${HEAD}
subscription,s-1,2024-01-05T10:00:00Z,1000,USD,c-1,,,,trialing,month,,2,,,
subscription,s-1,2024-01-19T10:00:00Z,1000,USD,c-1,,,,active,month,,2,,,
payment,p-1,2024-01-19T10:00:00Z,2000,USD,c-1,s-1,,,,,,,ann@example.com,,
payment,p-2,2024-02-19,2000,USD,c-1,s-1,500,,,,,,,,
subscription,s-1,2024-03-01T00:00:00Z,12000,usd,c-1,,,,active,year,,3,,,true
payment,p-3,2024-03-02T00:00:00Z,700,USD,,,,,,,,,"bob@example.com",,
refund,r-1,2024-03-03T00:00:00Z,200,,,,,p-3,,,,,,,
payment,p-4,2024-03-04T00:00:00Z,900,EUR,c-2,,,,,,,,,,
subscription,s-1,2024-06-01T00:00:00Z,12000,USD,c-1,,,,canceled,year,,3,,,
`

async function openSite() {
  const member = await api.member()
  const { id: siteId, siteNo, domain } = await api.site(member)
  return { api, siteNo, siteId, token: member.token, domain }
}
type Site = Awaited<ReturnType<typeof openSite>>

const noLease = { hold: async () => true, release: async () => {} }

async function bring({ siteNo }: Site, text: string, isDryRun = false) {
  const path = join(folder, `${crypto.randomUUID()}.csv`)
  await writeFile(path, text)
  const { db, log } = api.services
  const now = () => new Date()
  const refresher = createRefresher({ db, lease: noLease, log, now })
  const site = { siteNo } as Parameters<typeof importMoneyFile>[1]['site']
  return importMoneyFile(
    { db, log, refresher, now },
    { site, file: await openLocalFile(path), timezone: 'UTC', isDryRun, turn: ALONE },
  ).finally(() => refresher.finish())
}

const refundsOf = async (site: Site) =>
  Object.fromEntries((await paymentsOf(site)).payments.map(row => [row.transaction_id, row.refunded_minor]))

const VISITORS = ['', '00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
/** A row that may be in two files with other values: payments `p0` to `p3`, then refunds `r0` and `r1`, then subscriptions `s0` and `s1`. */
const Corrected = fc.record({
  amount: fc.integer({ min: 1, max: 1_000 }),
  refunded: fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: undefined }),
  subscription: fc.constantFrom('', 's0', 's1'),
  customer: fc.constantFrom('', 'c0', 'c1'),
  payment: fc.constantFrom('p0', 'p1', 'p2', 'p3'),
  visitor: fc.constantFrom(...VISITORS),
})
type Corrected = typeof Corrected extends fc.Arbitrary<infer Row> ? Row : never
const Rows = fc.array(Corrected, { minLength: 8, maxLength: 8 })
const rowOf = (row: Corrected, index: number) => {
  const { amount, refunded = '', subscription, customer, payment, visitor } = row
  const at = `2024-01-0${index + 1}`
  if (index < 4)
    return `payment,p${index},${at},${amount},USD,${customer},${subscription},${refunded},,,,,,,${visitor}`
  if (index < 6) return `refund,r${index},${at},${amount},,,,,${payment}`
  return `subscription,s${index - 6},${at},${amount},USD,${customer},,,,active,month,,1,,${visitor}`
}
const fileOf = (rows: readonly string[]) => [HEAD, ...rows, ''].join('\n')

const outcome = async (site: Site) => ({
  ...(await standingsOf(site)),
  ...(await paymentsOf(site)),
  ...(await movementsOf(site)),
})

test('files of payments and subscriptions: a file gives payments, refunds and MRR movements; again, shuffled or as JSON lines it changes nothing', async () => {
  const site = await openSite()
  const dry = await bring(site, CSV, true)
  expect((await paymentsOf(site)).payments).toEqual([])
  const result = await bring(site, CSV)
  expect({ ...dry, dry_run: false }).toEqual(result)
  expect(result).toEqual({
    dry_run: false,
    rows: { payment: 4, refund: 1, subscription: 4 },
    payments: [
      { currency: 'EUR', count: 1, amount: 900 },
      { currency: 'USD', count: 3, amount: 4700 },
    ],
    first_payment: '2024-01-19T10:00:00.000Z',
    last_payment: '2024-03-04T00:00:00.000Z',
    rejected: [],
    rejected_total: 0,
    underivable: [],
    underivable_total: 0,
  })
  const before = await outcome(site)
  expect(
    before.payments.map(row => [row.transaction_id, row.refunded_minor, row.renewal, row.recurring]),
  ).toEqual([
    ['p-1', 0, false, true],
    ['p-2', 500, true, true],
    ['p-3', 200, false, false],
    ['p-4', 0, false, false],
  ])
  expect(before.movements.map(row => [row.at.toISOString().slice(0, 10), row.kind, row.amount])).toEqual([
    ['2024-01-19', 'start', 2000],
    ['2024-03-01', 'upgrade', 1000],
    ['2024-06-01', 'end', -3000],
  ])
  const [head, ...rows] = CSV.trim().split('\n')
  await bring(site, [head, ...rows.toReversed()].join('\n'))
  const names = HEAD.split(',')
  const lines = rows.map(row => {
    const values = row.replaceAll('"', '').split(',')
    return JSON.stringify(Object.fromEntries(values.map((value, index) => [names[index], value])))
  })
  const other = await openSite()
  await bring(other, lines.join('\n'))
  expect(await outcome(site)).toEqual(before)
  expect((await outcome(other)).movements).toEqual(before.movements)
  expect((await outcome(other)).payments).toEqual(before.payments)
  const money = await api.call('GET', `/api/sites/${site.siteId}/overview?range=all`, { token: site.token })
  expect(JSON.stringify(money.body)).toContain('"mrr"')
})

test('files of payments and subscriptions: a file that is imported again after its payments were purged brings them back, and no other file does', {
  tags: ['full'],
}, async () => {
  const site = await openSite()
  await bring(site, CSV)
  const before = await outcome(site)
  const { db } = api.services
  expect([await purgePayments(db, site, 'USD'), await purgePayments(db, site, 'EUR')]).toEqual([3, 1])
  await bring(site, `${HEAD}\npayment,p-9,2024-05-01,100,USD\n`)
  expect((await paymentsOf(site)).payments.map(row => row.transaction_id)).toEqual(['p-9'])
  await bring(site, CSV)
  expect(await purgePayments(db, site, 'USD')).toBe(4)
  await bring(site, CSV)
  expect(await outcome(site)).toEqual(before)
})

test('files of payments and subscriptions: refunds apply to payments under any id, also those that Stripe has for invoices and intents', async () => {
  const site = await openSite()
  const rows = ['in_1', 'in_2', 'pi_3', 'ch_4', 'cs_5', 'order-6'].flatMap(id => [
    `payment,${id},2024-01-01,1000,USD`,
    `refund,re_${id}a,2024-01-02,300,,,,,${id}`,
    `refund,re_${id}b,2024-01-03,150,,,,,${id}`,
  ])
  await bring(site, fileOf([...rows, 'payment,in_7,2024-01-01,1000,USD,,,500']))
  const refunded = { in_1: 450, in_2: 450, pi_3: 450, ch_4: 450, cs_5: 450, 'order-6': 450, in_7: 500 }
  expect(await refundsOf(site)).toEqual(refunded)
})

test('files of payments and subscriptions: a file whose rows cannot be told apart, and one without rows, store nothing', async () => {
  const site = await openSite()
  const payments = Array.from({ length: 600 }, (_, index) => `payment,p${index},2024-01-01,1000,USD`)
  await expect(
    bring(site, fileOf([...payments, '"payment,x,2024-01-01,1,USD', ...payments])),
  ).rejects.toThrow(/^line 602: a field begins with a quote/)
  for (const empty of ['', 'hello world']) await expect(bring(site, empty)).rejects.toThrow(/has no row/)
  expect(await refundsOf(site)).toEqual({})
})

test('files of payments and subscriptions: a later file may say that less was refunded, nothing, or of another payment', {
  tags: ['full'],
}, async () => {
  const site = await openSite()
  const payment = (id: string, refunded: number | '' = '') =>
    `payment,${id},2024-01-01,1000,USD,,,${refunded}`
  const payments = [payment('a', 500), payment('b', 500), payment('c'), payment('d')]
  await bring(site, fileOf([...payments, 'refund,r,2024-01-02,400,,,,,c']))
  expect(await refundsOf(site)).toEqual({ a: 500, b: 500, c: 400, d: 0 })
  await bring(site, fileOf([payment('a', 0), payment('b', 200), 'refund,r,2024-01-02,300,,,,,d']))
  expect(await refundsOf(site)).toEqual({ a: 0, b: 200, c: 0, d: 300 })
})

test('files of payments and subscriptions: a file with corrections gives what the corrected file gives alone', {
  tags: ['full'],
}, async () => {
  await fc.assert(
    fc.asyncProperty(Rows, Rows, async (first, second) => {
      const [corrected, alone] = [await openSite(), await openSite()]
      await bring(corrected, fileOf(first.map(rowOf)))
      await bring(corrected, fileOf(second.map(rowOf)))
      const refundedOf = (index: number) => second[index]!.refunded ?? first[index]!.refunded
      const whole = second.map((row, index) => rowOf({ ...row, refunded: refundedOf(index) }, index))
      await bring(alone, fileOf(whole))
      expect(await paymentsOf(corrected)).toEqual(await paymentsOf(alone))
      expect(await standingsOf(corrected)).toEqual(await standingsOf(alone))
    }),
    { seed: seeded(20_260_301), numRuns: runs(4) },
  )
})

test('files of payments and subscriptions: rows that cannot be read are named with their reason, and the others are imported', async () => {
  const site = await openSite()
  const wrong: [row: string, reason: RegExp][] = [
    ['gift,x,2024-01-01,1,USD', /type must be payment, refund or subscription/],
    ['payment,,2024-01-01,1,USD', /id is required/],
    ['payment,x,yesterday,1,USD', /at must be an ISO 8601/],
    ['payment,x,2999-01-01,1,USD', /at lies in the future/],
    ['payment,x,2024-01-01,12.5,USD', /amount must be a whole number/],
    ['payment,x,2024-01-01,0,USD', /amount must be from 1/],
    ['payment,x,2024-01-01,1000000000001,USD', /amount must be from 1 to 1000000000000/],
    ['subscription,x,2024-01-01,900719925474099,USD,,,,,active,month,,1000', /beyond exact numbers/],
    ['payment,x,2024-01-01,1,dollars', /currency must be a currency code/],
    ['refund,x,2024-01-01,1', /payment is required/],
    ['subscription,x,2024-01-01,1,USD,,,,,asleep,month', /status must be trialing/],
    ['subscription,x,2024-01-01,1,USD,,,,,active,decade', /interval must be day/],
    ['payment,x,2024-01-01,1,USD,,,,,,,,,,nobody', /visitor must be a UUID/],
    [`payment,${'x'.repeat(300)},2024-01-01,1,USD`, /id must be at most 255/],
  ]
  const text = fileOf([...wrong.map(([row]) => row), 'payment,good,2024-01-01,1,USD'])
  const { rejected, rejected_total, rows } = await bring(site, text)
  expect(rejected_total).toBe(wrong.length)
  for (const [index, [, reason]] of wrong.entries()) {
    expect(rejected[index]!.row).toBe(index + 2)
    expect(rejected[index]!.error).toMatch(reason)
  }
  expect(rows.payment).toBe(1)
  expect((await paymentsOf(site)).payments).toHaveLength(1)
  await expect(bring(site, 'name,age\nann,3\n')).rejects.toThrow('missing: type, id, at, amount')
})

test('files of payments and subscriptions: revenue:import-file imports a file by path, and says what is wrong with its options', {
  tags: ['full'],
}, async () => {
  const site = await openSite()
  const path = join(folder, 'command.csv')
  await writeFile(path, CSV)
  const { databaseUrl, redisUrl } = api.services.config
  const command = await adminCommand({ databaseUrl: databaseUrl!, redisUrl: redisUrl! })
  const run = (...more: string[]) =>
    command.run(['revenue:import-file', '--site', site.siteId, '--file', path, ...more])
  expectRefused(await run('--timezone', 'Mars/Olympus'), /must be an IANA time zone/)
  expect(printed(await run())).toMatchObject({ rows: { payment: 4 }, rejected_total: 0 })
  expect((await paymentsOf(site)).payments).toHaveLength(4)
})
