import { randomUUID } from 'node:crypto'
import { BlockList } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { isReachable, problemOfUrl } from '../../../src/notifications/webhooks/endpoint-url.ts'
import { pauseAfter } from '../../../src/notifications/webhooks/limits.ts'
import { createUser } from '../../../src/teams/accounts.ts'
import { createToken } from '../../../src/teams/tokens.ts'
import { startWorld, type World } from './world.ts'

describe('webhook URLs', () => {
  test.each([
    ['nothing', 'must be a URL'],
    ['//example.com', 'must be a URL'],
    ['http://example.com/', 'must begin with https://'],
    ['file:///etc/passwd', 'must begin with https://'],
    ['ftp://example.com/', 'must begin with https://'],
    ['javascript:alert(1)', 'must begin with https://'],
    ['https://user:secret@example.com/', 'user name'],
    ['https://user@example.com/', 'user name'],
    ['https://example.com:22/', 'port'],
    ['https://127.0.0.1/', 'private address'],
    ['https://2130706433/', 'private address'],
    ['https://0x7f.1/', 'private address'],
    ['https://10.1.2.3:8443/', 'private address'],
    ['https://169.254.169.254/latest/meta-data', 'private address'],
    ['https://[::1]/', 'private address'],
    ['https://[::ffff:10.0.0.1]/', 'private address'],
    ['https://[64:ff9b::a00:1]/', 'private address'],
    ['https://[fd00::1]/', 'private address'],
    [`https://example.com/${'a'.repeat(2_048)}`, 'at most 2048'],
  ])('%s is refused', (url, problem) => {
    expect(problemOfUrl(url, undefined)).toContain(problem)
  })

  test('public https URLs are taken, with a port, a query and a name of any kind', () => {
    for (const url of ['https://example.com', 'https://bücher.example:8443/hook?a=b#c', 'https://8.8.8.8/'])
      expect(problemOfUrl(url, undefined)).toBeUndefined()
  })

  test('networks of the setting are allowed, also without TLS; other private ones are not', () => {
    const config = loadConfig({
      DATABASE_URL: 'postgres://x',
      REDIS_URL: 'redis://x',
      SECRET_KEY: '0'.repeat(64),
      WEBHOOK_PRIVATE_NETWORKS: '10.0.0.0/8, fd00::/8',
    })
    const networks = config.webhookNetworks
    expect(problemOfUrl('http://10.1.2.3:8080/', networks)).toBeUndefined()
    expect(problemOfUrl('https://[fd00::1]/', networks)).toBeUndefined()
    expect(problemOfUrl('https://192.168.1.1/', networks)).toContain('private')
    // A public address needs TLS in any case.
    expect(isReachable(networks, 'http:', '8.8.8.8')).toBe(false)
    expect(isReachable(networks, 'https:', '8.8.8.8')).toBe(true)
    expect(isReachable(new BlockList(), 'https:', 'localhost')).toBe(false)
  })

  test.each(['10.0.0.0', '10.0.0.0/33', 'local/8', 'fd00::/129', '10.0.0.0/8,'])(
    'the setting refuses %s',
    value => {
      const environment = { DATABASE_URL: 'postgres://x', REDIS_URL: 'redis://x', SECRET_KEY: '0'.repeat(64) }
      expect(() => loadConfig({ ...environment, WEBHOOK_PRIVATE_NETWORKS: value })).toThrow(
        'WEBHOOK_PRIVATE_NETWORKS',
      )
    },
  )
})

test('webhooks: pauses double up to six hours, with a fifth left to chance, and last for three days', () => {
  const pauses = Array.from({ length: 30 }, (_, index) => pauseAfter(index + 1, 0.5))
  expect(pauses.slice(0, 4)).toEqual([30_000, 60_000, 120_000, 240_000])
  expect(pauses.at(-1)).toBe(6 * 3_600_000)
  expect([pauseAfter(1, 0), pauseAfter(1, 1)]).toEqual([24_000, 36_000])
})

describe('webhooks API', () => {
  let world: World
  const names: Record<string, string[]> = {}
  beforeAll(async () => {
    world = await startWorld({ work: { resolve: async host => names[host] ?? [] } })
  })
  afterAll(() => world.close())

  const member = async (role: 'admin' | 'member' | 'viewer') => {
    const { teamId } = world.owner
    const email = `${randomUUID()}@example.com`
    const userId = await createUser(world.db, { teamId, email, role })
    const token = { teamId, userId, name: 'test', siteIds: null, expiresAt: null }
    return (await createToken(world.db, token, world.now())).token
  }

  test('a webhook is made, read, changed and deleted; its secret is shown once', async () => {
    const site = await world.site()
    const body = {
      name: ' Receiver ',
      url: 'https://example.com/hook?key=1#x',
      kinds: ['payment.paid', 'goal.converted', 'payment.paid'],
    }
    const made = await world.call('POST', `${site.id}/webhooks`, body)
    const shown = {
      id: expect.any(String),
      name: 'Receiver',
      format: 'signed',
      url: 'https://example.com/hook?key=1',
      kinds: ['goal.converted', 'payment.paid'],
      is_enabled: true,
      failing_since: null,
      given_up_at: null,
      waiting: 0,
      dropped: 0,
      previous_secret_until: null,
      created_at: world.now().toISOString(),
    }
    expect([made.status, made.body]).toEqual([
      201,
      { ...shown, secret: expect.stringMatching(/^whsec_.{43}$/) },
    ])
    expect((await world.call('GET', `${site.id}/webhooks`)).body).toEqual([shown])
    const path = `${site.id}/webhooks/${made.body.id}`
    const changed = await world.call('PATCH', path, { name: 'New', is_enabled: false })
    expect(changed.body).toEqual({ ...shown, name: 'New', is_enabled: false })
    const [row] =
      await world.db`select url, secret, shown_url from webhook_endpoints where id = ${made.body.id}`
    expect(row!.shown_url).toBe('https://example.com/…')
    expect(Buffer.from(row!.url).toString('latin1')).not.toContain('example.com')
    expect(Buffer.from(row!.secret).toString('latin1')).not.toContain('whsec')
    expect((await world.call('DELETE', path)).status).toBe(204)
    expect((await world.call('DELETE', path)).status).toBe(404)
    const log =
      await world.db`select action, details from audit_log where object_id = ${made.body.id} order by at, id`
    expect(log.map(({ action }) => action)).toEqual(['webhook.create', 'webhook.change', 'webhook.delete'])
    expect(JSON.stringify(log)).not.toContain('key=1')
  })

  test.each([
    ['a private address', { url: 'https://192.168.0.1/' }],
    ['credentials', { url: 'https://a:b@example.com/' }],
    ['a file', { url: 'file:///etc/passwd' }],
    ['a URL that is too long', { url: `https://example.com/${'a'.repeat(3_000)}` }],
    ['an unknown kind', { kinds: ['hit.stored'] }],
    ['an unknown format', { format: 'teams' }],
    ['no name', { name: '  ' }],
    ['a name of two lines', { name: 'a\nb' }],
    ['kinds that are no list', { kinds: 'payment.paid' }],
  ])('%s is refused', async (_, fields) => {
    const site = await world.site()
    const body = { name: 'x', url: 'https://example.com/', kinds: [], ...fields }
    expect((await world.call('POST', `${site.id}/webhooks`, body)).status).toBe(422)
  })

  test('only owners and admins see and change webhooks, and only those of their site', async () => {
    const [site, other] = [await world.site(), await world.site()]
    const { id } = await world.webhook(site.id)
    const stranger = (await world.api.member()).token
    const calls: [string, string, object?][] = [
      ['GET', `${site.id}/webhooks`],
      ['POST', `${site.id}/webhooks`, { name: 'x', url: 'https://example.com/', kinds: [] }],
      ['PATCH', `${site.id}/webhooks/${id}`, { name: 'y' }],
      ['POST', `${site.id}/webhooks/${id}/secret`, {}],
      ['POST', `${site.id}/webhooks/${id}/test`],
      ['GET', `${site.id}/webhooks/${id}/deliveries`],
      ['DELETE', `${site.id}/webhooks/${id}`],
    ]
    const tokens = [await member('viewer'), await member('member'), stranger]
    for (const [method, path, body] of calls) {
      for (const [index, status] of [403, 403, 404].entries())
        expect((await world.call(method, path, body, tokens[index])).status).toBe(status)
    }
    expect((await world.call('GET', `${site.id}/webhooks`, undefined, await member('admin'))).status).toBe(
      200,
    )
    for (const unknown of [id, randomUUID(), 'x']) {
      expect((await world.call('PATCH', `${other.id}/webhooks/${unknown}`, { name: 'y' })).status).toBe(404)
      expect((await world.call('GET', `${site.id}/webhooks/${id}/deliveries/${unknown}`)).status).toBe(404)
    }
  })

  test('a site has at most 20 webhooks, also when they are made at once', async () => {
    const site = await world.site()
    const made = await Promise.all(Array.from({ length: 23 }, () => world.webhook(site.id)))
    expect(made.filter(({ id }) => id)).toHaveLength(20)
  })

  test('a webhook that is off takes no test and no redelivery; one without a secret gets no other', async () => {
    const site = await world.site()
    const webhook = await world.webhook(site.id, { format: 'slack' })
    expect((await world.call('POST', `${site.id}/webhooks/${webhook.id}/secret`, {})).status).toBe(422)
    await world.call('PATCH', `${site.id}/webhooks/${webhook.id}`, { is_enabled: false })
    expect((await world.call('POST', `${site.id}/webhooks/${webhook.id}/test`)).status).toBe(422)
  })

  test.each([
    ['a name of a private address', ['10.0.0.7'], 'not_public'],
    ['a name that has a private address, too', ['93.184.216.34', '::ffff:10.0.0.7'], 'not_public'],
    ['a name of the metadata service', ['169.254.169.254'], 'not_public'],
    ['an unknown name', [], 'unknown_host'],
  ])('%s gets no connection, whatever it was at creation', async (_, addresses, error) => {
    const site = await world.site()
    const host = `${randomUUID()}.example`
    const made = await world.webhook(site.id, { url: `https://${host}/` })
    names[host] = addresses as string[]
    await world.call('POST', `${site.id}/webhooks/${made.id}/test`)
    await world.run()
    const page = await world.call('GET', `${site.id}/webhooks/${made.id}/deliveries`)
    expect(page.body.data).toMatchObject([{ state: 'pending', attempts: 1, status: null, error }])
  })
})
