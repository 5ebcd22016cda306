import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../support/service.ts'
import { type Site, sharedWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

/** What a page sends after its first pageview, when a person acts on it. */
async function nextOf(site: Site) {
  const rows = await site.stored(2)
  return rows.find(row => row.type !== 'pageview' && row.type !== 'engagement')
}

describe('tracker: analytics()', () => {
  test('analytics() sends an event with properties and revenue', async () => {
    const site = await world.site()
    const page = await site.open('/buy?x=1')
    await page.evaluate(`analytics('Purchase', {
      props: { plan: 'pro', seats: 3, trial: false, none: null },
      revenue: { amount: 49.99, currency: 'EUR' } })`)
    expect(await nextOf(site)).toMatchObject({
      type: 'event',
      name: 'Purchase',
      url: '/buy?x=1',
      title: 'Page /buy',
      props: { plan: 'pro', seats: '3', trial: 'false' },
      amount: '4999',
      currency: 'EUR',
    })
  })

  test('analytics() sends an event for another path when the call names it', async () => {
    const site = await world.site()
    const page = await site.open('/')
    await page.evaluate("analytics('Step', { path: '/funnel/2' })")
    expect(await nextOf(site)).toMatchObject({ name: 'Step', url: '/funnel/2' })
  })

  test('queues calls that are made before the script has loaded', async () => {
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

  test('analytics() cuts values that are longer than the API allows', async () => {
    const site = await world.site({ head: `<script>document.title = 't'.repeat(600)</script>` })
    const page = await site.open(`/${'p'.repeat(3000)}`)
    await page.evaluate(`analytics('n'.repeat(300), { props: Object.assign({ ['k'.repeat(70)]: 'v'.repeat(600) },
      Object.fromEntries(Array.from({ length: 60 }, (_, i) => ['key' + i, i]))) })`)
    const row = (await nextOf(site))!
    expect([row.name.length, row.url.length, row.title.length]).toEqual([255, 2048, 512])
    expect(Object.keys(row.props!)).toHaveLength(50)
    expect(row.props!['k'.repeat(64)]).toHaveLength(500)
  })

  test.each([
    'analytics()',
    "analytics('x', null)",
    'analytics({}, 5)',
    "analytics('x', { props: 5n, get revenue() { throw 1 } })",
    "analytics('x', { props: { [Symbol()]: 1, f() {}, d: Object.create(null) } })",
    'analytics.identify()',
    'analytics.identify({ id: 5n })',
  ])('%s throws nothing on the page', async call => {
    const site = await world.site()
    const page = await site.open('/')
    const failures: Error[] = []
    page.on('pageerror', error => failures.push(error))
    expect(await page.evaluate(`${call}; 'still running'`)).toBe('still running')
    expect(failures).toEqual([])
  })

  test('analytics() is the only global name that the script adds', async () => {
    const site = await world.site()
    const bare = await (await world.person()).newPage()
    await bare.goto(`${site.origin.replace('//', '//bare-')}/`)
    const before = (await bare.evaluate('Object.getOwnPropertyNames(window)')) as string[]
    const after = (await (await site.open('/')).evaluate('Object.getOwnPropertyNames(window)')) as string[]
    expect(after.filter(name => !before.includes(name))).toEqual(['analytics'])
  })

  test('analytics() sends the identity of the visitor', async () => {
    const site = await world.site()
    const page = await site.open('/')
    await site.stored(1)
    await page.evaluate(`analytics.identify('user-1', {
      name: 'Grace', avatar: 'https://example.com/g.png', custom: { plan: 'pro' } })`)
    expect(await identityOf(site)).toEqual({
      identifier: 'user-1',
      name: 'Grace',
      avatar: 'https://example.com/g.png',
      custom: { plan: 'pro' },
    })
  })

  test('analytics() sends the signature that a site with an identify secret requires', async () => {
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
    await page.evaluate(`analytics.identify('user-1', { name: 'Grace', signature: '${signature}' })`)
    expect(await identityOf(site)).toMatchObject({ identifier: 'user-1', name: 'Grace' })
    await page.evaluate(`analytics.identify('user-1', { name: 'Mallory' })`)
    await page.evaluate(`analytics.identify('user-2', { name: 'Mallory', signature: '${signature}' })`)
    await site.storedAfterAll()
    expect(await service.db`select name from identities where site_no = ${site.no}`).toEqual([
      { name: 'Grace' },
    ])
  })
})

const identityOf = (site: Site) =>
  eventually(async () => {
    const [row] = await world.service.db`
      select identifier, name, avatar, custom from identities where site_no = ${site.no}`
    return row
  })

describe('tracker: autocapture sends', () => {
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
  const copy = (selector: string) => (page: Page) =>
    page.evaluate(`{ const element = document.querySelector('${selector}')
      element.select ? element.select() : getSelection().selectAllChildren(element)
      element.dispatchEvent(new ClipboardEvent('copy', { bubbles: true })) }`)

  test.each<[string, string, (page: Page) => Promise<unknown>, Record<string, string>]>([
    [
      'an outbound link',
      'outbound',
      page => page.click('#away'),
      { selector: '#away', text: 'Go away', url: 'https://elsewhere.example/there?x=1' },
    ],
    [
      'an outbound link that is opened with the middle button',
      'outbound',
      page => page.click('#away', { button: 'middle' }),
      { selector: '#away', text: 'Go away', url: 'https://elsewhere.example/there?x=1' },
    ],
    [
      'a download',
      'download',
      page => page.click('.more'),
      { selector: 'a.more.info', text: 'Report', file: 'report.PDF', url: '{origin}/files/report.PDF' },
    ],
    [
      'a button',
      'button',
      page => page.click('button b'),
      { selector: 'button.primary.wide', text: 'Buy now' },
    ],
    [
      'a button with the name that the site gave it',
      'button',
      page => page.click('[role=button]'),
      { selector: 'signup', text: 'Join' },
    ],
    [
      'a form, without the values of its fields',
      'form',
      page => page.press('input', 'Enter'),
      { selector: '#newsletter', text: '', url: '/subscribe' },
    ],
    ['copied text', 'copy', copy('p'), { selector: 'p.quote', text: 'Words to copy' }],
    ['that something typed was copied', 'copy', copy('textarea'), { selector: 'textarea', text: '' }],
  ])('%s', async (_what, type, act, props) => {
    const site = await world.site({ body })
    await act(await site.open('/'))
    const row = await nextOf(site)
    expect(row).toMatchObject({ type, name: type, url: '/' })
    expect(row!.props).toEqual(
      Object.fromEntries(
        Object.entries(props).map(([key, value]) => [key, value.replace('{origin}', site.origin)]),
      ),
    )
  })

  test('nothing for a link inside the site or a right click', async () => {
    const site = await world.site({ body })
    const page = await site.open('/')
    await page.click('a[href="/inside"]')
    await page.click('#away', { button: 'right' })
    await page.click('p')
    await site.stored(1)
    expect((await site.storedAfterAll()).map(row => row.type)).toEqual(['pageview'])
  })

  test('a click that leaves the page immediately', async () => {
    const site = await world.site()
    const target = `${site.origin.replace('//', '//away-')}/`
    const page = await site.open('/')
    await site.stored(1)
    await page.evaluate(
      `document.body.innerHTML = '<a href="${target}">leave</a>'; document.querySelector('a').click()`,
    )
    expect((await site.stored(3)).map(row => row.type).sort()).toEqual(['engagement', 'outbound', 'pageview'])
  })
})

describe('tracker: errors', () => {
  const fail = `
    setTimeout(() => { throw new TypeError('broken') })
    setTimeout(() => { throw new TypeError('broken') })
    Promise.reject(new RangeError('refused'))
    Promise.reject('just text')`

  test('errors are sent once each when the site tracks errors, also those before the first answer', async () => {
    const site = await world.site({
      trackErrors: true,
      body: `<script>addEventListener('DOMContentLoaded', () => { ${fail} })</script>`,
    })
    await site.open('/faulty')
    await site.stored(4)
    const rows = (await site.storedAfterAll()).filter(row => row.type === 'error')
    expect(rows.map(row => [row.name, row.error, row.url]).sort()).toEqual([
      ['Error', 'just text', '/faulty'],
      ['RangeError', 'refused', '/faulty'],
      ['TypeError', 'broken', '/faulty'],
    ])
    const broken = rows.find(row => row.error === 'broken')!
    expect(broken.stack).toContain('TypeError: broken')
    expect(broken.file).toBe(`${site.origin}/faulty`)
    expect(Number(broken.line)).toBeGreaterThan(0)
  })

  test('errors are limited in number', async () => {
    const site = await world.site({ trackErrors: true })
    const page = await site.open('/')

    await page.evaluate("for (let i = 0; i < 30; i++) setTimeout(() => { throw new Error('number ' + i) })")
    await site.stored(11)
    expect((await site.storedAfterAll()).filter(row => row.type === 'error')).toHaveLength(10)
  })

  test('errors are not sent when the site does not track them', async () => {
    const site = await world.site()
    const page = await site.open('/')
    await page.evaluate(`{ ${fail} }; 'thrown later'`)
    await page.evaluate("analytics('After')")
    await site.stored(2)
    expect((await site.storedAfterAll()).map(row => row.type).sort()).toEqual(['event', 'pageview'])
  })
})
