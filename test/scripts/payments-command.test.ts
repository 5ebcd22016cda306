import { expect, test } from 'vitest'
import { recordNewPayment } from '../support/payments.ts'
import { createTestSite } from '../support/sites.ts'
import { expectRefused, printed, startCommands } from './command.ts'

const here = startCommands()
const purge = (...args: string[]) => here.command.run(['payments:purge', ...args])

test('payments:purge deletes the payments of a site in one currency', async () => {
  const { db } = here.database
  const site = await createTestSite(db)
  for (const currency of ['USD', 'USD', 'EUR'])
    await recordNewPayment(db, site, { currency, paidAt: new Date(), source: 'processor' })
  const deleted = async () => printed(await purge('--site', site.id, '--currency', 'USD'))
  expect([await deleted(), await deleted()]).toEqual([{ deleted: 2 }, { deleted: 0 }])
  for (const table of ['payments', 'revenue']) {
    const left = await db`select currency from ${db(table)} where site_no = ${site.siteNo}`
    expect(left, table).toEqual([{ currency: 'EUR' }])
  }
  expect(await db`select name from events where site_no = ${site.siteNo}`).toEqual([{ name: 'payment' }])
})

test('payments:purge says what is wrong', async () => {
  expectRefused(await purge('--site', 'unknown.example', '--currency', 'USD'), /^error: No such site\n$/)
  expectRefused(await purge('--site', 'example.com', '--currency', 'usd'), /upper case/)
  expectRefused(await purge('--site', 'example.com'), /--currency/)
})
