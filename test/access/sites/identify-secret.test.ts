import { execFileSync, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../src/platform/config/config.ts'
import { type Answer, startApi } from '../../support/api.ts'
import { startIngestApi } from '../../support/ingest-api.ts'
import { ofFile } from '../../support/of-file.ts'

const api = ofFile(startApi)
const ingest = ofFile(() => startIngestApi(api.services, api.services.config.redisUrl!))
const owner = ofFile(() => api.member())

type Site = Awaited<ReturnType<typeof register>>

const call = (method: string, site: Site): Promise<Answer> =>
  api.call(method, `/api/sites/${site.id}/identify-secret`, { token: owner.token })

const register = () => api.site(owner)

/** A site that demands signatures, known to the worker. */
async function signedSite(): Promise<{ site: Site; secret: string }> {
  const site = await register()
  const { status, body } = await call('PUT', site)
  expect(status).toBe(200)
  return { site, secret: body.identify_secret }
}

async function identify(site: Site, fields: object, headers: Record<string, string> = {}): Promise<Answer> {
  const hit = { key: site.tracking_key, hostname: 'example.com', identifier: 'user-42', ...fields }
  const response = await fetch(`${ingest.url}/api/identify`, {
    method: 'POST',
    headers,
    body: JSON.stringify(hit),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
}

const sign = (secret: string, identifier = 'user-42') =>
  createHmac('sha256', secret).update(identifier).digest('hex')

/** What waits in Redis to be stored. */
async function queued(): Promise<string[]> {
  const keys = await api.services.redis.keys('*')
  return keys.filter(key => !/^(limit|salt)/.test(key)).sort()
}

test('identify secret: it is shown once and stored encrypted, and can be replaced or removed', async () => {
  const site = await register()
  expect((await call('GET', site)).body).toEqual({ identify_secret_set: false })
  expect((await call('DELETE', site)).status).toBe(404)
  const { status, body } = await call('PUT', site)
  expect([status, body]).toEqual([200, { identify_secret: expect.stringMatching(/^[0-9a-f]{64}$/) }])
  const shown = [
    await call('GET', site),
    await api.call('GET', `/api/sites/${site.id}`, { token: owner.token }),
  ]
  expect(shown[0]!.body).toEqual({ identify_secret_set: true })
  expect(JSON.stringify(shown)).not.toContain(body.identify_secret)
  const { db } = api.services
  const [row] = await db<{ text: string }[]>`select sites::text as text from sites where id = ${site.id}`
  expect(row!.text).not.toContain(body.identify_secret)
  expect(row!.text).not.toContain(Buffer.from(body.identify_secret).toString('hex'))
  expect((await call('PUT', site)).body.identify_secret).not.toBe(body.identify_secret)
  expect((await call('DELETE', site)).status).toBe(204)
  expect((await call('GET', site)).body).toEqual({ identify_secret_set: false })
})

test('identify secret: with a secret, a site accepts only identities that are signed with it', async () => {
  const { site, secret } = await signedSite()
  const right = sign(secret)
  const before = await queued()
  const required = 'is required: this site takes only identities that are signed with its identify secret'
  const wrong =
    'does not fit: send the HMAC-SHA-256 of the identifier, keyed with the identify secret, as 64 hex digits'
  const refused: [signature: unknown, problem: string][] = [
    [undefined, required],
    [null, required],
    ['', required],
    [sign(secret, 'user-43'), wrong],
    [sign('another secret'), wrong],
    [right.slice(0, -1), wrong],
    [`${right}00`, wrong],
    [` ${right}`, wrong],
    ['x'.repeat(64), wrong],
    [[right], wrong],
    [{ toString: right }, wrong],
    [5, wrong],
  ]
  for (const [signature, problem] of refused) {
    const { status, body } = await identify(site, { name: 'Mallory', signature })
    expect([signature, status, body]).toMatchObject([
      signature,
      422,
      { code: 'validation_failed', errors: { signature: [problem] } },
    ])
  }
  const crawler = { 'User-Agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' }
  expect((await identify(site, {}, crawler)).status).toBe(422)
  expect(await queued()).toEqual(before)
  for (const signature of [right, right.toUpperCase()])
    expect((await identify(site, { name: 'Ada', signature })).status).toBe(202)
  expect(await queued()).not.toEqual(before)
})

test('identify secret: the signature is over the recorded identifier in UTF-8', async () => {
  const { site, secret } = await signedSite()
  for (const identifier of ['Zoë 🐱', 'ada@example.com', 'x'.repeat(255)]) {
    const signature = sign(secret, identifier)
    expect((await identify(site, { identifier, signature })).status).toBe(202)
  }
  // NUL is taken out before: what is signed is what is kept.
  expect((await identify(site, { identifier: 'user\0-42', signature: sign(secret) })).status).toBe(202)
  expect(
    (await identify(site, { identifier: 'user\0-42', signature: sign(secret, 'user\0-42') })).status,
  ).toBe(422)
})

test('identify secret: without a secret, and on other endpoints, a signature is ignored', async () => {
  const site = await register()
  for (const signature of [undefined, 'nonsense', 5, {}])
    expect((await identify(site, { signature })).status).toBe(202)
  const signed = (await signedSite()).site
  const body = JSON.stringify({ key: signed.tracking_key, hostname: 'example.com', url: { path: '/' } })
  expect((await fetch(`${ingest.url}/api/collect`, { method: 'POST', body })).status).toBe(202)
})

test('identify secret: workers use a new, replaced or removed secret at once', async () => {
  const site = await register()
  const statusOf = (signature?: string) => async () => (await identify(site, { signature })).status
  expect(await statusOf()()).toBe(202)
  const first = (await call('PUT', site)).body.identify_secret
  await expect.poll(statusOf()).toBe(422)
  expect(await statusOf(sign(first))()).toBe(202)
  const second = (await call('PUT', site)).body.identify_secret
  await expect.poll(statusOf(sign(first))).toBe(422)
  expect(await statusOf(sign(second))()).toBe(202)
  await call('DELETE', site)
  await expect.poll(statusOf()).toBe(202)
})

test('identify secret: a secret that cannot be decrypted gives 503 instead of a wrong signature', async () => {
  const { site, secret } = await signedSite()
  const spoiled = await api.services.db`
    update sites set identify_secret = set_byte(identify_secret, 40, 255 - get_byte(identify_secret, 40))
    where id = ${site.id} returning id`
  expect(spoiled).toHaveLength(1)
  const { status, headers, body } = await identify(site, { signature: sign(secret) })
  expect([status, headers.get('retry-after'), body.message]).toEqual([
    503,
    '60',
    'The identify secret of this site cannot be read: set it again',
  ])
})

const guide = readFileSync(join(projectRoot, 'docs', 'tracker.md'), 'utf8')
const exampleIn = (language: string) =>
  new RegExp(`\`\`\`${language}\\n((?:(?!\`\`\`)[^])*hmac(?:(?!\`\`\`)[^])*)\`\`\``, 'i').exec(guide)![1]!
const SECRET = '0123456789abcdef'.repeat(4)
const env = { PATH: process.env.PATH, IDENTIFY_SECRET: SECRET }
const SIGNATURE = sign(SECRET)

test('identify secret: the examples of the guide give the same signature as openssl', () => {
  const openssl = execFileSync('openssl', ['dgst', '-sha256', '-hmac', SECRET], { input: 'user-42' })
  expect(openssl.toString().trim().split(' ').at(-1)).toBe(SIGNATURE)

  const program = `${exampleIn('js')}\nconsole.log(signatureOf('user-42'))`
  const node = spawnSync(process.execPath, ['--input-type=module'], { input: program, env })
  expect([node.stdout.toString().trim(), node.stderr.toString()]).toEqual([SIGNATURE, ''])

  expect(exampleIn('php')).toContain("hash_hmac('sha256', $userId, getenv('IDENTIFY_SECRET'))")
  const php = spawnSync('php', { input: `<?php ${exampleIn('php')}\necho signature_of('user-42');`, env })
  if (php.error === undefined) expect(php.stdout.toString()).toBe(SIGNATURE)

  expect(guide).toContain(SECRET)
  expect(guide).toContain(SIGNATURE)
})
