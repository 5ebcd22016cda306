import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seal, unseal } from '../../../src/lib/secret-box.ts'
import { connectProcessor, findConnection } from '../../../src/revenue/processor/connection.ts'
import type { SiteRecord } from '../../../src/sites/schema.ts'
import { type Api, type Member, startApi } from '../../support/api.ts'
import { unaudited } from '../../support/audit.ts'
import { recordingLog } from '../../support/recording-log.ts'

let api: Api
let owner: Member
const { log, lines } = recordingLog()

beforeAll(async () => {
  api = await startApi({ log })
  owner = await api.member()
})
afterAll(() => api.close())

async function createSite(): Promise<string> {
  const body = { domain: `${randomUUID()}.example` }
  return (await api.call('POST', '/api/sites', { token: owner.token, body })).body.id
}

const call = (method: string, site: string, body?: unknown, token = owner.token) =>
  api.call(method, `/api/sites/${site}/processor`, { token, body })
const secretKey = () => api.services.config.secretKey

describe('processor connection', () => {
  test('new secrets keep the connection time', async () => {
    const site = await createSite()
    const now = new Date('2026-02-03T04:05:06.789Z')
    const record = (
      await api.services.db<SiteRecord[]>`
      select site_no as "siteNo", id from sites where id = ${site}`
    )[0]!
    const body = { provider: 'stripe' as const, webhook_secret: 'whsec_1', api_key: undefined }
    const connectAt = (at: Date) =>
      connectProcessor({ ...api.services, audit: unaudited, now: () => at }, record, body)
    expect((await connectAt(now)).connected_at).toBe(now.toISOString())
    expect((await connectAt(new Date())).connected_at).toBe(now.toISOString())
  })

  test('a connected processor is shown without its secrets, and can be disconnected', async () => {
    const site = await createSite()
    expect((await call('GET', site)).status).toBe(404)
    const body = { provider: 'stripe', webhook_secret: 'whsec_hidden', api_key: 'sk_hidden' }
    const connected = await call('PUT', site, body)
    expect([connected.status, connected.body]).toEqual([
      200,
      {
        provider: 'stripe',
        webhook_url: `${api.services.config.baseUrl}/api/processor/webhook/${site}`,
        connected_at: expect.stringMatching(/Z$/),
      },
    ])
    expect((await call('GET', site)).body).toEqual(connected.body)
    expect((await call('DELETE', site)).status).toBe(204)
    expect((await call('GET', site)).status).toBe(404)
    expect((await call('DELETE', site)).status).toBe(404)
    expect(JSON.stringify(lines)).not.toContain('hidden')
  })

  test('secrets are stored encrypted, and decrypted only for the webhook', async () => {
    const site = await createSite()
    await call('PUT', site, { provider: 'stripe', webhook_secret: 'whsec_ä', api_key: 'sk_1' })
    const [row] = await api.services.db`
      select webhook_secret, api_key from processor_connections join sites using (site_no) where id = ${site}`
    expect(Buffer.from(row!.webhook_secret).includes('whsec')).toBe(false)
    expect(Buffer.from(row!.api_key).includes('sk_')).toBe(false)
    expect(await findConnection(api.services.db, site, secretKey())).toEqual({
      site: { siteNo: expect.any(Number), id: site, currency: 'USD', timezone: 'UTC' },
      webhookSecret: 'whsec_ä',
      sealedSecret: row!.webhook_secret,
      apiKey: 'sk_1',
    })
    await call('PUT', site, { provider: 'stripe', webhook_secret: 'whsec_2' })
    expect(await findConnection(api.services.db, site, secretKey())).toMatchObject({
      webhookSecret: 'whsec_2',
      apiKey: undefined,
    })
    await expect(findConnection(api.services.db, site, '1'.repeat(64))).rejects.toMatchObject({
      code: 'unavailable',
    })
    await api.call('DELETE', `/api/sites/${site}`, { token: owner.token })
    expect(await findConnection(api.services.db, site, secretKey())).toBeUndefined()
  })

  test.each(['nonsense', '', randomUUID()])('no connection is found for the site %j', async id => {
    expect(await findConnection(api.services.db, id, secretKey())).toBeUndefined()
  })

  test.each([
    [{ webhook_secret: 'x' }, 'provider'],
    [{ provider: 'paypal', webhook_secret: 'x' }, 'provider'],
    [{ provider: 'stripe' }, 'webhook_secret'],
    [{ provider: 'stripe', webhook_secret: '' }, 'webhook_secret'],
    [{ provider: 'stripe', webhook_secret: 'x'.repeat(256) }, 'webhook_secret'],
    [{ provider: 'stripe', webhook_secret: 'x', api_key: 1 }, 'api_key'],
  ])('a connection with %j is refused', async (body, field) => {
    const answer = await call('PUT', await createSite(), body)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]])
  })

  test('only owners and admins can read and change it', async () => {
    const member = await api.member({ role: 'member' })
    const [site] = await api.services.db`
      insert into sites (team_id, domain) values (${member.teamId}, 'member.example') returning id`
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await call(method, site!.id, undefined, member.token)).status).toBe(403)
    }
  })

  test('lifecycle goals are created only once: deleted or changed goals stay as they are', async () => {
    const site = await createSite()
    const goals = async () =>
      (await api.call('GET', `/api/sites/${site}/goals?per_page=100`, { token: owner.token })).body.data
    const body = { provider: 'stripe', webhook_secret: 'x' }
    await call('PUT', site, body)
    const made = await goals()
    const names = made.map((goal: { match_value: string }) => goal.match_value)
    expect(names).toContain('payment')
    expect(names).toContain('subscription_ended')
    expect(names).toHaveLength(11)
    await api.call('DELETE', `/api/sites/${site}/goals/${made[0].id}`, { token: owner.token })
    await call('PUT', site, body)
    expect(await goals()).toHaveLength(10)
  })
})

describe('sealed texts', () => {
  const key = '0f'.repeat(32)

  test('a text opens only with its key and place, and not when a single bit differs', () => {
    const sealed = seal(key, 'geheim', 'here')
    expect(unseal(key, sealed, 'here')).toBe('geheim')
    expect(() => unseal(key, sealed, 'there')).toThrow()
    expect(() => unseal('1f'.repeat(32), sealed, 'here')).toThrow()
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed)
      changed[index]! ^= 1
      expect(() => unseal(key, changed, 'here')).toThrow()
    }
    expect(() => unseal(key, Buffer.of(), 'here')).toThrow()
  })

  test('sealing a text twice gives different bytes', () => {
    expect(seal(key, 'x', 'here').equals(seal(key, 'x', 'here'))).toBe(false)
  })
})
