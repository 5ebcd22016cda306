import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import type { BrowserContext } from 'playwright-core'
import { expect, test } from 'vitest'
import { announceSiteChange } from '../../src/access/sites/change-site.ts'
import { folderOfCase } from '../support/data-dir.ts'
import { silentLog } from '../support/log.ts'
import { sweep } from '../support/runs.ts'
import { eventually } from '../support/service.ts'
import { sharedWorld } from './world.ts'

const world = sharedWorld()

const DO_NOT_TRACK = `<script>Object.defineProperty(navigator, 'doNotTrack', { value: '1' })</script>`

const everythingStored = async (person: BrowserContext) => ({
  cookies: (await person.cookies()).length,
  storage: await person.pages()[0]!.evaluate('localStorage.length + sessionStorage.length'),
  databases: await person.pages()[0]!.evaluate('indexedDB.databases().then(all => all.length)'),
})

test('tracker: cookieless mode stores nothing in the browser, and different browsers are different visitors', async () => {
  const site = await world.site()
  const person = await world.person()
  const page = await site.open('/', person)
  await page.evaluate("analytics('Signup'); analytics.identify('user-1')")
  await site.stored(2)
  await page.reload()
  const rows = (await site.stored(4)).filter(row => row.visitor)
  expect(new Set(rows.map(row => row.visitor)).size).toBe(1)
  expect(await everythingStored(person)).toEqual({ cookies: 0, storage: 0, databases: 0 })
})

test('tracker: cookie mode keeps the visitor from the first hit on and over reloads, and another browser is another visitor', async () => {
  const site = await world.site({ mode: 'cookie' })
  const person = await world.person()
  const page = await site.open('/', person)
  await page.evaluate("analytics('Signup')")
  await page.waitForFunction('document.cookie')
  await site.stored(2)
  await page.reload()
  const rows = await site.stored(4)
  expect(rows.length).toBeGreaterThanOrEqual(4)
  const [cookie, ...others] = await person.cookies()
  expect(others).toEqual([])
  expect(cookie).toMatchObject({
    name: 'analytics_id',
    value: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    path: '/',
    sameSite: 'Lax',
    secure: false,
  })
  expect(cookie!.expires - Date.now() / 1000).toBeGreaterThan(364 * 86_400)
  expect(new Set(rows.map(row => row.visitor))).toEqual(new Set([cookie!.value]))

  await site.open('/other')
  await site.stored(5)
  const visitors = new Set((await site.storedAfterAll()).map(row => row.visitor))
  expect(visitors.size).toBe(2)
})

test('tracker: the tracker deletes the cookie when the site changes to cookieless mode', async () => {
  const site = await world.site({ mode: 'cookie' })
  const person = await world.person()
  const page = await site.open('/', person)
  await page.waitForFunction('document.cookie')
  await world.service.db`update sites set tracking_mode = 'cookieless' where site_no = ${site.no}`
  const redis = new Redis({ path: world.service.redisUrl.replace('unix://', '') })
  await announceSiteChange({ redis, log: silentLog }, site.key)
  redis.disconnect()
  // The processes that answer hits learn of the change when they read their messages.
  await eventually(async () => {
    await page.reload()
    const isGone = page.waitForFunction('!document.cookie', undefined, { timeout: 5_000 })
    return isGone.then(
      () => true,
      () => false,
    )
  }, 90_000)
  expect(await everythingStored(person)).toEqual({ cookies: 0, storage: 0, databases: 0 })
})

test('tracker: nothing is sent from paths in data-exclude', async () => {
  const site = await world.site({ attributes: 'data-exclude="/admin/**, /users/*/edit"' })
  const paths = ['/admin/a/b?x=/y', '/users/7/edit', '/users/7/posts/edit', '/administration']
  await Promise.all(paths.map(async path => (await site.open(path)).evaluate("analytics('Seen')")))
  await site.stored(4)
  const urls = (await site.storedAfterAll()).filter(row => row.type !== 'engagement').map(row => row.url)
  expect(new Set(urls)).toEqual(new Set(['/users/7/posts/edit', '/administration']))
})

test('tracker: nothing is sent from inside a frame', async () => {
  const site = await world.site()
  const outer = await world.site({ body: `<iframe src="${site.origin}/inner"></iframe>` })
  await outer.open('/')
  await outer.stored(1)
  expect(await site.storedAfterAll()).toEqual([])
})

test.each(
  sweep([
    ['navigator.doNotTrack', '"1"'],
    ['navigator.globalPrivacyControl', 'true'],
  ]),
)('tracker: nothing is sent for a browser with %s, when the site respects it', async (name, value) => {
  const head = `<script>Object.defineProperty(navigator, '${name.split('.')[1]}', { value: ${value} })</script>`
  const polite = await world.site({ head, attributes: 'data-dnt' })
  const other = await world.site({ head })
  const page = await polite.open('/')
  await page.evaluate("analytics('Signup')")
  await other.open('/')
  await other.stored(1)
  expect(await polite.storedAfterAll()).toEqual([])
})

/** What the console says about the tracker when somebody opens a page and stays until something is done. */
async function hintsOf(
  open: (person: BrowserContext) => Promise<unknown>,
  until = async (): Promise<unknown> => undefined,
): Promise<string[]> {
  const person = await world.person()
  const said: string[] = []
  person.on('console', message => said.push(message.text()))
  await open(person)
  await person.pages()[0]!.evaluate("analytics('Signup'); analytics('Signup')")
  await until()
  await person.close()
  return said.filter(text => text.startsWith('analytics:'))
}
const HINT = ['analytics: localhost needs data-local']

test.each(sweep(['localhost', '127.0.0.1', 'shop.localhost']))(
  'tracker: a local page is not tracked, and logs so once, on %s',
  async hostname => {
    const site = await world.site({ hostname })
    expect(await hintsOf(person => site.open('/', person))).toEqual(HINT)
    expect(await site.storedAfterAll()).toEqual([])
  },
)

test('tracker: a local page logs once that it is not tracked, as a file', { tags: ['full'] }, async () => {
  const { key } = await world.site()
  const file = join(folderOfCase('page'), 'index.html')
  for (const attributes of ['', 'data-local ']) {
    const tag = `<script src="${world.analytics}/js/script.js" ${attributes}data-key="${key}"></script>`
    writeFileSync(file, tag)
    const open = async (person: BrowserContext) => (await person.newPage()).goto(`file://${file}`)
    expect(await hintsOf(open)).toEqual(HINT)
  }
})

test('tracker: a local page logs nothing when it is tracked, or excluded for another reason', {
  tags: ['full'],
}, async () => {
  for (const [options, count] of [
    [{ hostname: 'localhost', attributes: 'data-local' }, 3],
    [{ hostname: 'localhost', attributes: 'data-dnt', head: DO_NOT_TRACK }, 0],
    [{}, 3],
  ] as const) {
    const site = await world.site(options)
    const hints = await hintsOf(
      person => site.open('/', person),
      () => site.stored(count),
    )
    expect(hints).toEqual([])
    const rows = (await site.storedAfterAll()).filter(({ type }) => type !== 'engagement')
    expect(rows).toHaveLength(count)
  }
})

test('tracker: a content security policy that names the service is enough', { tags: ['full'] }, async () => {
  const origin = world.analytics
  const site = await world.site({
    head: `<meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; script-src ${origin}; connect-src ${origin}">`,
  })
  await site.open('/strict')
  expect(await site.stored(1)).toMatchObject([{ url: '/strict' }])
})
