import { randomUUID } from 'node:crypto'
import { BlockList } from 'node:net'
import { expect, test } from 'vitest'
import { isReachable, problemOfUrl } from '../../../../src/outgoing/notifications/webhooks/endpoint-url.ts'
import { pauseAfter } from '../../../../src/outgoing/notifications/webhooks/webhook-limits.ts'
import { bareConfig } from '../../../support/bare-config.ts'
import { ofFile } from '../../../support/of-file.ts'
import { sweep } from '../../../support/runs.ts'
import { startWorld } from './world.ts'

const networksOf = (text: string) => bareConfig({ WEBHOOK_PRIVATE_NETWORKS: text }).webhookNetworks

test.each([
  ['must be a URL', 'nothing', '//example.com'],
  ['must begin with https://', 'http://example.com/', 'file:///etc/passwd', 'ftp://example.com/'],
  ['must begin with https://', 'javascript:alert(1)'],
  ['user name', 'https://user:secret@example.com/', 'https://user@example.com/'],
  ['port', 'https://example.com:22/'],
  ['private address', 'https://127.0.0.1/', 'https://2130706433/', 'https://0x7f.1/'],
  ['private address', 'https://169.254.169.254/latest/meta-data', 'https://[::1]/', 'https://[fd00::1]/'],
  ['private address', 'https://[::ffff:10.0.0.1]/', 'https://[64:ff9b::a00:1]/', 'https://10.1.2.3:8443/'],
  ['at most 2048', `https://example.com/${'a'.repeat(2_048)}`],
])('webhook URLs: %s: a wrong URL, such as %s, is refused', (problem, ...urls) => {
  for (const url of urls) expect(problemOfUrl(url, undefined), url).toContain(problem)
})

test('webhook URLs: public https URLs are taken; of networks of the setting also private ones without TLS', () => {
  const TAKEN = ['https://example.com', 'https://bücher.example:8443/hook?a=b#c', 'https://8.8.8.8/']
  for (const url of TAKEN) expect(problemOfUrl(url, undefined)).toBeUndefined()
  const networks = networksOf('10.0.0.0/8, fd00::/8')
  expect(problemOfUrl('http://10.1.2.3:8080/', networks)).toBeUndefined()
  expect(problemOfUrl('https://[fd00::1]/', networks)).toBeUndefined()
  expect(problemOfUrl('https://192.168.1.1/', networks)).toContain('private')
  // A public address needs TLS in any case.
  expect(isReachable(networks, 'http:', '8.8.8.8')).toBe(false)
  expect(isReachable(networks, 'https:', '8.8.8.8')).toBe(true)
  expect(isReachable(new BlockList(), 'https:', 'localhost')).toBe(false)
})

test('webhook URLs: the setting refuses what is no list of networks', () => {
  for (const value of ['10.0.0.0', '10.0.0.0/33', 'local/8', 'fd00::/129', '10.0.0.0/8,'])
    expect(() => networksOf(value), value).toThrow('WEBHOOK_PRIVATE_NETWORKS')
})

test('webhooks: pauses double up to six hours, with a fifth left to chance, and last for three days', () => {
  const pauses = Array.from({ length: 30 }, (_, index) => pauseAfter(index + 1, 0.5))
  expect(pauses.slice(0, 4)).toEqual([30_000, 60_000, 120_000, 240_000])
  expect(pauses.at(-1)).toBe(6 * 3_600_000)
  expect([pauseAfter(1, 0), pauseAfter(1, 1)]).toEqual([24_000, 36_000])
})

const names: Record<string, string[]> = {}
const world = ofFile(() => startWorld({ work: { resolve: async host => names[host] ?? [] } }))

test('webhooks API: a webhook is made, read, changed and deleted; its secret is shown once', async () => {
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

test('webhooks API: what is no URL, kind, format or name is refused', async () => {
  const site = await world.site()
  for (const fields of [
    { url: 'https://192.168.0.1/' },
    { kinds: ['hit.stored'] },
    { kinds: 'payment.paid' },
    { format: 'teams' },
    { name: '  ' },
    { name: 'a\nb' },
  ]) {
    const body = { name: 'x', url: 'https://example.com/', kinds: [], ...fields }
    expect([fields, (await world.call('POST', `${site.id}/webhooks`, body)).status]).toEqual([fields, 422])
  }
})

test('webhooks API: a site has at most 20 webhooks, also when they are made at once', async () => {
  const site = await world.site()
  const made = await Promise.all(Array.from({ length: 23 }, () => world.webhook(site.id)))
  expect(made.filter(({ id }) => id)).toHaveLength(20)
})

test('webhooks API: a webhook that is off takes no test and no redelivery; one without a secret gets no other', async () => {
  const site = await world.site()
  const webhook = await world.webhook(site.id, { format: 'slack' })
  expect((await world.call('POST', `${site.id}/webhooks/${webhook.id}/secret`, {})).status).toBe(422)
  await world.call('PATCH', `${site.id}/webhooks/${webhook.id}`, { is_enabled: false })
  expect((await world.call('POST', `${site.id}/webhooks/${webhook.id}/test`)).status).toBe(422)
})

test.each(
  sweep([
    ['a name of a private address', ['10.0.0.7'], 'not_public'],
    ['a name that has a private address, too', ['93.184.216.34', '::ffff:10.0.0.7'], 'not_public'],
    ['a name of the metadata service', ['169.254.169.254'], 'not_public'],
    ['an unknown name', [], 'unknown_host'],
  ]),
)('webhooks API: %s gets no connection, whatever it was at creation', async (_, addresses, error) => {
  const site = await world.site()
  const host = `${randomUUID()}.example`
  const made = await world.webhook(site.id, { url: `https://${host}/` })
  names[host] = addresses as string[]
  await world.call('POST', `${site.id}/webhooks/${made.id}/test`)
  await world.run()
  const page = await world.call('GET', `${site.id}/webhooks/${made.id}/deliveries`)
  expect(page.body.data).toMatchObject([{ state: 'pending', attempts: 1, status: null, error }])
})
