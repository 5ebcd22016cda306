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
    head: `<script>if(typeof analytics!='function')window.analytics=function(){(analytics.q=analytics.q||[]).push(arguments)}
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

test('tracker: analytics() keeps an event with odd properties, without those that have no text', async () => {
  const site = await world.site()
  const page = await site.open('/')
  await page.evaluate(`analytics('a'.repeat(254) + '😀😀', {
    props: { '': 1, sym: Symbol('x'), f() {}, o: { a: [1] }, day: new Date(0), get bad() { throw 1 }, nul: 'a\\0b', last: 'v'.repeat(499) + '😀😀' },
    revenue: { amount: 5n, currency: 'EUR' } })
    analytics('Plain', null)
    analytics('Where', { path: Symbol('x') })`)
  const rows = eventsOf(await site.stored(4))
  expect(rows.map(({ name }) => name)).toEqual([`${'a'.repeat(254)}😀`, 'Plain', 'Where'])
  expect(rows[0]!.props).toEqual({
    ...{ o: '{"a":[1]}', day: '1970-01-01T00:00:00.000Z', nul: 'ab' },
    last: `${'v'.repeat(499)}😀`,
  })
})

test('tracker: more hits than a browser keeps for a page that is left all arrive once, and large ones do', async () => {
  const site = await world.site()
  const page = await site.open('/')
  await site.stored(1)
  await page.evaluate(`{
    navigator.sendBeacon = () => { throw new TypeError('full') }
    for (let i = 0; i < 200; i++) analytics('e' + i)
    analytics('large', { props: Object.fromEntries(Array.from({ length: 50 }, (_, i) => ['k' + i, '漢'.repeat(500)])) })
    dispatchEvent(new Event('pagehide')) }`)
  await site.stored(202)
  const names = eventsOf(await site.storedAfterAll()).map(({ name }) => name)
  expect([names.length, new Set(names).size, names.includes('large')]).toEqual([201, 201, true])
})

test('tracker: hits that are on their way when the page is left are not sent twice', {
  tags: ['full'],
}, async () => {
  const site = await world.site()
  const page = await site.open('/')
  await site.stored(1)
  await page.evaluate("for (let i = 0; i < 60; i++) analytics('e' + i); location.href = 'about:blank'")
  await site.stored(61)
  expect(eventsOf(await site.storedAfterAll())).toHaveLength(60)
})

test('tracker: analytics() throws nothing on the page, whatever it is given', async () => {
  const page = await (await world.site()).open('/')
  const failures: Error[] = []
  page.on('pageerror', error => failures.push(error))
  for (const call of [
    ...['analytics()', "analytics('x', null)", 'analytics({}, 5)'],
    "analytics('x', { props: 5n, get revenue() { throw 1 } })",
    "analytics('x', { props: { [Symbol()]: 1, f() {}, d: Object.create(null) } })",
    ...['analytics.identify()', 'analytics.identify({ id: 5n })'],
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

/** Names that forms have properties of. */
const FIELDS = [
  ...'id action className classList localName getAttribute closest matches innerText'.split(' '),
  ...'textContent parentNode getRootNode nodeType hasAttribute target elements dataset'.split(' '),
].map(name => `<input name="${name}">`)
/** Names that documents have properties of. */
const NAMED = ['title', 'cookie', 'referrer', 'hidden', 'hasFocus', 'documentElement', 'baseURI', 'nodeType']

const hostileBody = `
  <form id="named" action="/go">${FIELDS.join('')}<button id="go">Send</button></form>
  <form role="button" class="a b c">${FIELDS.join('')}<i>Press</i></form>
  ${NAMED.map(name => `<form name="${name}"></form>`).join('')}
  <open-card></open-card><slot-button data-analytics="buy">Buy <b>now</b></slot-button><closed-card></closed-card>
  <svg><a id="svg" href="https://elsewhere.example/a"><text>Docs</text></a></svg>
  <svg><a class="x y" xlink:href="/b.pdf"><text>PDF</text></a></svg>
  <script>
    const define = (name, mode, html) => customElements.define(name, class extends HTMLElement {
      connectedCallback() { this.inner = this.attachShadow({ mode }); this.inner.innerHTML = html }
    })
    define('open-card', 'open', '<a id="shop" href="https://elsewhere.example/p"><span>Shop</span></a><inner-card></inner-card>')
    define('inner-card', 'open', '<form id="inside" action="/sub"><button class="q">Sub</button></form>')
    define('slot-button', 'open', '<button class="base"><slot></slot></button>')
    define('closed-card', 'closed', '<a href="https://elsewhere.example/">S</a><button>B</button><input value="secret">')
    for (const type of ['submit', 'click']) addEventListener(type, event =>
      (type === 'submit' || event.composedPath().some(({ localName }) => localName === 'a' || localName === 'closed-card')) && event.preventDefault())
  </script>`

test('tracker: autocapture reads forms whose fields are named like properties, open shadow roots and SVG links; closed roots send nothing', async () => {
  const site = await world.site({ body: hostileBody })
  const page = await site.open('/')
  await page.evaluate(`{
    const $ = selector => Document.prototype.querySelector.call(document, selector)
    const press = element => element.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, cancelable: true }))
    const card = $('open-card').inner, closed = $('closed-card').inner
    for (const element of [
      $('#go'), $('[role=button] i'), card.querySelector('span'), card.querySelector('inner-card').inner.querySelector('button'),
      $('slot-button b'), $('#svg text'), $('.x text'), closed.querySelector('a'), closed.querySelector('button')
    ]) press(element)
    const field = closed.querySelector('input')
    field.select()
    field.dispatchEvent(new ClipboardEvent('copy', { bubbles: true, composed: true })) }`)
  await site.stored(10)
  const rows = eventsOf(await site.storedAfterAll())
  expect(rows.every(({ title }) => title === 'Page /')).toBe(true)
  expect(rows.map(({ type, props }) => `${type} ${props!.selector} ${props!.text}`).sort()).toEqual([
    ...['button #go Send', 'button button.q Sub', 'button buy Buy now', 'button form.a.b Press'],
    ...['download a.x.y PDF', 'form #inside ', 'form #named ', 'outbound #shop Shop'],
    'outbound #svg Docs',
  ])
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

test('tracker: errors of browser extensions and of ResizeObserver are not sent, and rejected objects are JSON', async () => {
  const site = await world.site({ trackErrors: true })
  const page = await site.open('/')
  await page.evaluate(`{
    const rejectAt = (message, ...frames) =>
      Promise.reject(Object.assign(new Error(message), { stack: ['Error: ' + message, ...frames].join('\\n') }))
    const own = '    at f (https://site.example/a.js:1:2)', foreign = '    at g (chrome-extension://abc/b.js:1:2)'
    dispatchEvent(new ErrorEvent('error', { message: 'ResizeObserver loop limit exceeded', filename: location.href }))
    dispatchEvent(new ErrorEvent('error', { message: 'x', filename: 'moz-extension://a/b.js', error: new Error('x') }))
    rejectAt('see https://site.example/ here', foreign, own)
    rejectAt('of the site', own, foreign)
    Promise.reject({ status: 404, message: 'Not found' })
    Promise.reject(new DOMException('gone', 'AbortError'))
    Promise.reject(Symbol('s'))
    0 }`)
  await site.stored(5)
  const rows = (await site.storedAfterAll()).filter(row => row.type === 'error')
  expect(rows.map(row => `${row.name}: ${row.error}`).sort()).toEqual([
    'AbortError: gone',
    'Error: Symbol(s)',
    'Error: of the site',
    'Error: {"status":404,"message":"Not found"}',
  ])
})

test('tracker: errors are not sent when the site does not track them', { tags: ['full'] }, async () => {
  const site = await world.site()
  const page = await site.open('/')
  await page.evaluate(`{ ${fail} }; 'thrown later'`)
  await page.evaluate("analytics('After')")
  await site.stored(2)
  expect((await site.storedAfterAll()).map(row => row.type).sort()).toEqual(['event', 'pageview'])
})
