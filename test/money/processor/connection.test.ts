import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { connectProcessor, findConnection } from '../../../src/money/processor/connection.ts'
import { seal, unseal } from '../../../src/platform/lib/secret-box.ts'
import type { Services } from '../../../src/platform/services.ts'
import { createLifecycleGoals } from '../../../src/stats/goals/change-goal.ts'
import { unaudited } from '../../support/audit.ts'
import { useDatabase } from '../../support/database.ts'
import { createTestSite } from '../../support/sites.ts'

const KEY = '0f'.repeat(32)

const database = useDatabase()

/** Returns a new site, and what connects it. */
async function openSite() {
  const { db } = database
  const { id, siteNo } = await createTestSite(db)
  const config = { secretKey: KEY, baseUrl: 'https://a.example' } as Services['config']
  const connect = (webhook_secret: string, api_key?: string, now = new Date()) => {
    const site = { id, siteNo } as Parameters<typeof connectProcessor>[1]
    const body = { provider: 'stripe' as const, webhook_secret, api_key }
    return connectProcessor(
      { db, config, audit: unaudited, now: () => now },
      site,
      body,
      createLifecycleGoals,
    )
  }
  return { db, id, siteNo, connect, find: (key = KEY) => findConnection(db, id, key) }
}

test('processor connection: new secrets keep the connection time', async () => {
  const { connect } = await openSite()
  const now = new Date('2026-02-03T04:05:06.789Z')
  expect((await connect('whsec_1', undefined, now)).connected_at).toBe(now.toISOString())
  expect((await connect('whsec_1')).connected_at).toBe(now.toISOString())
})

test('processor connection: secrets are stored encrypted, and decrypted only for the webhook of a site that exists', async () => {
  const { db, id, siteNo, connect, find } = await openSite()
  expect(await find()).toBeUndefined()
  await connect('whsec_ä', 'sk_1')
  const [row] = await db`select webhook_secret, api_key from processor_connections where site_no = ${siteNo}`
  expect(Buffer.from(row!.webhook_secret).includes('whsec')).toBe(false)
  expect(Buffer.from(row!.api_key).includes('sk_')).toBe(false)
  expect(await find()).toEqual({
    site: { siteNo, id, currency: 'USD', timezone: 'UTC' },
    webhookSecret: 'whsec_ä',
    sealedSecret: row!.webhook_secret,
    apiKey: 'sk_1',
  })
  await connect('whsec_2')
  expect(await find()).toMatchObject({ webhookSecret: 'whsec_2', apiKey: undefined })
  await expect(find('1'.repeat(64))).rejects.toMatchObject({ code: 'unavailable' })
  for (const unknown of ['nonsense', '', randomUUID()])
    expect(await findConnection(db, unknown, KEY)).toBeUndefined()
  await db`update sites set deleted_at = now() where site_no = ${siteNo}`
  expect(await find()).toBeUndefined()
})

test('sealed texts: a text opens only with its key and place, and not when a single bit differs', () => {
  const sealed = seal(KEY, 'geheim', 'here')
  expect(seal(KEY, 'geheim', 'here').equals(sealed)).toBe(false)
  expect(unseal(KEY, sealed, 'here')).toBe('geheim')
  expect(() => unseal(KEY, sealed, 'there')).toThrow()
  expect(() => unseal('1f'.repeat(32), sealed, 'here')).toThrow()
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed)
    changed[index]! ^= 1
    expect(() => unseal(KEY, changed, 'here')).toThrow()
  }
  expect(() => unseal(KEY, Buffer.of(), 'here')).toThrow()
})
