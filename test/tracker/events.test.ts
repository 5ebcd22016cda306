import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { eventually } from '../support/service.ts'
import { type Row, type Site, sharedWorld } from './world.ts'

const world = sharedWorld()

/** What pages send beside pageviews and engagement, in the order of their texts. */
const eventsOf = (rows: Row[]) =>
  rows
    .filter(({ type }) => type !== 'pageview' && type !== 'engagement')
    .sort((a, b) => a.type.localeCompare(b.type) || a.name.localeCompare(b.name))

test('tracker: analytics() sends an event with properties and revenue, for another path when the call names it', async () => {
  const site = await world.site()
  const page = await site.open('/buy?x=1')
  await page.evaluate(`analytics('Purchase', {
    props: { plan: 'pro', seats: 3, trial: false, none: null },
    revenue: { amount: 49.99, currency: 'EUR' } })
    analytics('Step', { path: '/funnel/2' })`)
  expect(eventsOf(await site.stored(3))).toMatchObject([
    {
      type: 'event',
      name: 'Purchase',
      url: '/buy?x=1',
      title: 'Page /buy',
      props: { plan: 'pro', seats: '3', trial: 'false' },
      amount: '4999',
      currency: 'EUR',
    },
    { name: 'Step', url: '/funnel/2' },
  ])
})

test('tracker: queues calls that are made before the script has loaded', async () => {
  const site = await world.site({
    head: `<script>window.analytics=window.analytics||function(){(analytics.q=analytics.q||[]).push(arguments)}
      analytics('Early', { props: { a: 1 } })
      analytics('identify', 'user-7', { name: 'Ada' })</script>`,
  })
  await site.open('/')
  // The pageview and both calls are sent at once, so they may be stored in any order.
  const early = (await site.stored(3)).find(row => row.type === 'event')
  expect(early).toMatchObject({ name: 'Early', props: { a: '1' } })
  expect(await identityOf(site)).toMatchObject({ identifier: 'user-7', name: 'Ada' })
})

test('tracker: analytics() cuts values that are longer than the API allows', { tags: ['full'] }, async () => {
  const site = await world.site({ head: `<script>document.title = 't'.repeat(600)</script>` })
  const page = await site.open(`/${'p'.repeat(3000)}`)
  await page.evaluate(`analytics('n'.repeat(300), { props: Object.assign({ ['k'.repeat(70)]: 'v'.repeat(600) },
    Object.fromEntries(Array.from({ length: 60 }, (_, i) => ['key' + i, i]))) })`)
  const row = eventsOf(await site.stored(2))[0]!
  expect([row.name.length, row.url.length, row.title.length]).toEqual([255, 2048, 512])
  expect(Object.keys(row.props!)).toHaveLength(50)
  expect(row.props!['k'.repeat(64)]).toHaveLength(500)
})

test('tracker: analytics() throws nothing on the page, whatever it is given', async () => {
  const page = await (await world.site()).open('/')
  const failures: Error[] = []
  page.on('pageerror', error => failures.push(error))
  for (const call of [
    'analytics()',
    "analytics('x', null)",
    'analytics({}, 5)',
    "analytics('x', { props: 5n, get revenue() { throw 1 } })",
    "analytics('x', { props: { [Symbol()]: 1, f() {}, d: Object.create(null) } })",
    'analytics.identify()',
    'analytics.identify({ id: 5n })',
  ]) {
    expect(await page.evaluate(`${call}; 'still running'`), call).toBe('still running')
  }
  expect(failures).toEqual([])
})

test('tracker: analytics() is the only global name that the script adds', { tags: ['full'] }, async () => {
  const site = await world.site()
  const bare = await (await world.person()).newPage()
  await bare.goto(`${site.origin.replace('//', '//bare-')}/`)
  const before = (await bare.evaluate('Object.getOwnPropertyNames(window)')) as string[]
  const after = (await (await site.open('/')).evaluate('Object.getOwnPropertyNames(window)')) as string[]
  expect(after.filter(name => !before.includes(name))).toEqual(['analytics'])
})

test('tracker: analytics() sends the identity of the visitor, with the signature that a site with an identify secret requires', async () => {
  const site = await world.site()
  const { service } = world
  const [row] = await service.db`select id from sites where site_no = ${site.no}`
  const answer = await fetch(`${service.url}/api/sites/${row!.id}/identify-secret`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${service.token}` },
  })
  const { identify_secret: secret } = (await answer.json()) as { identify_secret: string }
  const signature = createHmac('sha256', secret).update('user-1').digest('hex')
  const page = await site.open('/')
  await site.stored(1)
  const details = `name: 'Grace', avatar: 'https://example.com/g.png', custom: { plan: 'pro' }`
  await page.evaluate(`analytics.identify('user-1', { ${details}, signature: '${signature}' })`)
  expect(await identityOf(site)).toEqual({
    ...{ identifier: 'user-1', name: 'Grace' },
    ...{ avatar: 'https://example.com/g.png', custom: { plan: 'pro' } },
  })
  await page.evaluate(`analytics.identify('user-1', { name: 'Mallory' })`)
  await page.evaluate(`analytics.identify('user-2', { name: 'Mallory', signature: '${signature}' })`)
  await site.storedAfterAll()
  expect(await service.db`select name from identities where site_no = ${site.no}`).toEqual([
    { name: 'Grace' },
  ])
})

const identityOf = (site: Site) =>
  eventually(async () => {
    const [row] = await world.service.db`
      select identifier, name, avatar, custom from identities where site_no = ${site.no}`
    return row
  })

const body = `
  <a id="away" href="https://elsewhere.example/there?x=1">Go  away</a>
  <a class="more info third" href="/files/report.PDF">Report</a>
  <a href="/inside">Inside</a>
  <button class="primary wide">Buy <b>now</b></button>
  <div role="button" data-analytics="signup">Join</div>
  <form id="newsletter" action="/subscribe"><input name="email" value="someone@example.com"></form>
  <p class="quote">Words to copy</p><textarea>A secret</textarea>
  <script>addEventListener('click', event => event.target.href && event.preventDefault())
    addEventListener('submit', event => event.preventDefault())</script>`
/** The type of a hit, and its properties. */
type Told = [string, Record<string, string>]

const copy = (page: Page, selector: string) =>
  page.evaluate(`{ const element = document.querySelector('${selector}')
    element.select ? element.select() : getSelection().selectAllChildren(element)
    element.dispatchEvent(new ClipboardEvent('copy', { bubbles: true })) }`)

test('tracker: autocapture sends outbound links, downloads, buttons, forms and copies, without what was typed; nothing for other clicks', async () => {
  const site = await world.site({ body })
  const page = await site.open('/')
  for (const selector of ['#away', '.more', 'button b', '[role=button]']) await page.click(selector)
  await page.click('#away', { button: 'middle' })
  await page.press('input', 'Enter')
  for (const selector of ['p', 'textarea']) await copy(page, selector)
  await page.click('a[href="/inside"]')
  await page.click('#away', { button: 'right' })
  await page.click('p')
  await site.stored(9)
  const rows = (await site.storedAfterAll()).filter(({ type }) => type !== 'engagement')
  const away = { selector: '#away', text: 'Go away', url: 'https://elsewhere.example/there?x=1' }
  const file = { text: 'Report', file: 'report.PDF', url: `${site.origin}/files/report.PDF` }
  const keyOf = ([type, { selector }]: Told) => `${type} ${selector}`
  const bySelector = (a: Told, b: Told) => keyOf(a).localeCompare(keyOf(b))
  const expected: Told[] = [
    ['button', { selector: 'button.primary.wide', text: 'Buy now' }],
    ['button', { selector: 'signup', text: 'Join' }],
    ['copy', { selector: 'p.quote', text: 'Words to copy' }],
    ['copy', { selector: 'textarea', text: '' }],
    ['download', { selector: 'a.more.info', ...file }],
    ['form', { selector: '#newsletter', text: '', url: '/subscribe' }],
    ['outbound', away],
    ['outbound', away],
    ['pageview', {}],
  ]
  const told = rows.map(({ type, props }): Told => [type, props ?? {}])
  expect(told.sort(bySelector)).toEqual(expected.sort(bySelector))
  for (const { type, name, url } of eventsOf(rows)) expect([name, url]).toEqual([type, '/'])
})

test('tracker: autocapture sends a click that leaves the page immediately', { tags: ['full'] }, async () => {
  const site = await world.site()
  const target = `${site.origin.replace('//', '//away-')}/`
  const page = await site.open('/')
  await site.stored(1)
  await page.evaluate(
    `document.body.innerHTML = '<a href="${target}">leave</a>'; document.querySelector('a').click()`,
  )
  expect((await site.stored(3)).map(row => row.type).sort()).toEqual(['engagement', 'outbound', 'pageview'])
})

const fail = `
  setTimeout(() => { throw new TypeError('broken') })
  setTimeout(() => { throw new TypeError('broken') })
  Promise.reject(new RangeError('refused'))
  Promise.reject('just text')`

test('tracker: errors are sent once each when the site tracks errors, also those before the first answer, and ten of a page', async () => {
  const site = await world.site({
    trackErrors: true,
    body: `<script>addEventListener('DOMContentLoaded', () => { ${fail} })</script>`,
  })
  const page = await site.open('/faulty')
  await site.stored(4)
  const errors = async () => (await site.storedAfterAll()).filter(row => row.type === 'error')
  const rows = await errors()
  expect(rows.map(row => [row.name, row.error, row.url]).sort()).toEqual([
    ['Error', 'just text', '/faulty'],
    ['RangeError', 'refused', '/faulty'],
    ['TypeError', 'broken', '/faulty'],
  ])
  const broken = rows.find(row => row.error === 'broken')!
  expect(broken.stack).toContain('TypeError: broken')
  expect(broken.file).toBe(`${site.origin}/faulty`)
  expect(Number(broken.line)).toBeGreaterThan(0)
  await page.evaluate("for (let i = 0; i < 30; i++) setTimeout(() => { throw new Error('number ' + i) })")
  await site.stored(11)
  expect(await errors()).toHaveLength(10)
})

test('tracker: errors are not sent when the site does not track them', { tags: ['full'] }, async () => {
  const site = await world.site()
  const page = await site.open('/')
  await page.evaluate(`{ ${fail} }; 'thrown later'`)
  await page.evaluate("analytics('After')")
  await site.stored(2)
  expect((await site.storedAfterAll()).map(row => row.type).sort()).toEqual(['event', 'pageview'])
})
