import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordPayment } from '../../src/revenue/ledger/record-payment.ts'
import { type AdminCommand, adminCommand } from '../support/admin-command.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'

let database: TestDatabase
let command: AdminCommand
let site: TestSite

beforeAll(async () => {
  database = await testDatabase()
  command = await adminCommand({ databaseUrl: database.url, redisUrl: 'redis://127.0.0.1:1' })
  site = await createTestSite(database.db)
})
afterAll(async () => {
  command.close()
  await database.close()
})

const purge = (...args: string[]) => command.run(['payments:purge', ...args])

test('payments:purge deletes the payments of a site in one currency', async () => {
  for (const [index, currency] of ['USD', 'USD', 'EUR'].entries()) {
    const payment = { transactionId: `${index}`, amountMinor: 100, currency, paidAt: new Date() }
    const flags = { renewal: false, refunded: false, isFreeTrial: false, recurring: false }
    await database.db.begin(tx => recordPayment(tx, site, { ...payment, ...flags, source: 'processor' }))
  }
  const done = await purge('--site', site.id, '--currency', 'USD')
  expect([done.code, done.stderr, JSON.parse(done.stdout)]).toEqual([0, '', { deleted: 2 }])
  const again = await purge('--site', site.id, '--currency', 'USD')
  expect(JSON.parse(again.stdout)).toEqual({ deleted: 0 })
  const left = await database.db`select currency from payments where site_no = ${site.siteNo}`
  expect(left).toEqual([{ currency: 'EUR' }])
})

test.each([
  [['--site', 'unknown.example', '--currency', 'USD'], /^error: No such site\n$/],
  [['--site', 'example.com', '--currency', 'usd'], /^error: .*upper case.*\n$/],
  [['--site', 'example.com'], /^error: .*--currency.*\n$/],
])('payments:purge says what is wrong with %j', async (args, message) => {
  const { code, stdout, stderr } = await purge(...args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(message)
})
