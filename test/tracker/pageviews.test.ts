import { expect, onTestFinished, test } from 'vitest'
import { sweep } from '../support/runs.ts'
import { newPerson, startChromium } from './chromium.ts'
import { sharedWorld } from './world.ts'

const world = sharedWorld()

const urls = (rows: { type: string; url: string }[]) =>
  rows.filter(row => row.type === 'pageview').map(row => row.url)

test('tracker: a pageview is sent when a page loads, with address, title, source, language and screen', async () => {
  const site = await world.site()
  const person = await world.person()
  const page = await person.newPage()
  await page.goto(`${site.origin}/welcome?utm_source=news&a=1`, { referer: 'https://www.google.com/' })
  const [row] = await site.stored(1)
  expect(row).toMatchObject({
    type: 'pageview',
    url: '/welcome?utm_source=news&a=1',
    title: 'Page /welcome',
    hostname: new URL(site.origin).hostname,
    source: 'news',
    language: 'en-US',
    screen: 1000,
  })
  expect(await world.service.db`select screen from sessions where site_no = ${site.no}`).toEqual([
    { screen: '1000x500' },
  ])
})

test.each([
  ['/js/script.js', '', '/api/collect'],
  ['/t/script.js', '', '/t/collect'],
  ['/js/script.js', 'data-api="/proxied"', '/proxied/collect'],
])(
  'tracker: the script at %s with %s sends pageviews to its address, again after a reload',
  { tags: ['full'] },
  async (script, attributes, path) => {
    const site = await world.site({ script, attributes })
    const page = await (await world.person()).newPage()
    const sent = page.waitForRequest(/collect/)
    await page.goto(`${site.origin}/`)
    const { pathname, origin } = new URL((await sent).url())
    expect([pathname, origin === site.origin]).toEqual([path, attributes !== ''])
    if (attributes !== '') return
    await site.stored(1)
    await page.reload()
    expect(urls(await site.stored(3))).toEqual(['/', '/'])
  },
)

const body = `<a id="link" href="/next?b=2">next</a><script>
  document.querySelector('#link').onclick = event => {
    event.preventDefault()
    history.pushState({}, '', event.target.href)
    setTimeout(() => { document.title = 'Next' }, 20)
  }
  onpopstate = () => { document.title = 'Back' }</script>`

test('tracker: a single-page application sends a pageview for each new address, with its own title, and for going back, all of its first source', async () => {
  const site = await world.site({ body })
  const page = await (await world.person()).newPage()
  await page.goto(`${site.origin}/first`, { referer: 'https://news.ycombinator.com/item' })
  await site.stored(1)
  await page.click('#link')
  await site.stored(3)
  await page.goBack()
  const rows = (await site.stored(5)).filter(row => row.type === 'pageview')
  expect(rows.map(row => [row.url, row.title])).toEqual([
    ['/first', 'Page /first'],
    ['/next?b=2', 'Next'],
    ['/first', 'Back'],
  ])
  await page.evaluate('analytics("Signup")')
  await site.stored(6)
  expect(await world.service.db`select source from sessions where site_no = ${site.no}`).toEqual([
    { source: 'Hacker News' },
  ])
})

/** A router of the Navigation API that sets the title later, and functions that a router took before the tag ran. */
const router = `<script>
  navigation.addEventListener('navigate', event => event.canIntercept && !event.hashChange && event.intercept({
    async handler() { await new Promise(done => setTimeout(done, 400)); document.title = 'At ' + location.pathname }
  }))</script>`
const saved = `<script>window.push = history.pushState.bind(history); window.replace = history.replaceState.bind(history)</script>`

test('tracker: a single-page application with the Navigation API sends a pageview for each page, with its title, and events of the right page', async () => {
  const site = await world.site({ head: router, body: '<a href="/three">three</a>' })
  const page = await site.open('/one')
  await site.stored(1)
  await page.evaluate(`(async () => {
    await navigation.navigate('/two').finished
    await navigation.navigate('/two?x=1', { history: 'replace' }).finished
    await navigation.reload().finished
    analytics('A')
    document.querySelector('a').click()
    await new Promise(done => navigation.addEventListener('navigatesuccess', done, { once: true }))
    analytics('B')
    await navigation.back().finished
    analytics('C') })()`)
  await site.stored(7)
  const rows = (await site.storedAfterAll()).filter(({ type }) => type !== 'engagement')
  expect(rows.map(row => [row.name, row.url, row.title]).sort()).toEqual([
    ['', '/one', 'Page /one'],
    ['', '/three', 'At /three'],
    ['', '/two', 'At /two'],
    ['', '/two?x=1', 'At /two'],
    ['A', '/two', 'At /two'],
    ['B', '/three', 'At /three'],
    ['C', '/two?x=1', 'At /two'],
  ])
})

test.each(
  sweep([
    ['with the Navigation API', saved],
    [
      'without it',
      `<script>Object.defineProperty(window, 'navigation', { value: undefined })</script>${saved}`,
    ],
  ]),
)('tracker: an address that is changed by functions from before the tag is followed %s', async (_, head) => {
  const site = await world.site({ head })
  const page = await site.open('/a')
  await site.stored(1)
  await page.evaluate("push({}, '', '/b'); analytics('B')")
  await page.evaluate("replace({}, '', '/b?q=1'); analytics('B')")
  await page.evaluate("push({}, '', '/c')")
  await site.stored(7)
  const rows = (await site.storedAfterAll()).filter(({ type }) => type !== 'engagement')
  expect(rows.map(row => row.name + row.url).sort()).toEqual(['/a', '/b', '/c', 'B/b', 'B/b'])
})

test('tracker: a query that is replaced, or differs in campaign tags alone, is no pageview; with data-query="ignore" none is', async () => {
  const change = (how: string, query: string) => `history.${how}State({}, '', '/s${query}'); analytics('Now')`
  for (const [attributes, expected] of [
    ['', ['/s?utm_source=x&q=1', '/s?q=2&ref=y']],
    ['data-query="ignore"', ['/s?utm_source=x&q=1']],
  ] as const) {
    const site = await world.site({ attributes })
    const page = await site.open('/s?utm_source=x&q=1')
    await site.stored(1)
    await page.evaluate(change('replace', '?q=1'))
    for (const letter of 'abc') await page.evaluate(change('replace', `?q=${letter}`))
    await page.evaluate(change('replace', '?q=1'))
    await page.evaluate(change('push', '?utm_medium=m&q=1&gclid=7'))
    await page.evaluate(change('push', '?q=2&ref=y'))
    await page.evaluate(change('push', '?q=2'))
    await site.stored(expected.length + 8)
    expect(urls(await site.storedAfterAll())).toEqual(expected)
  }
})

test('tracker: a single-page application sends nothing for a new state or fragment of the same address, and one pageview for several changes at once', async () => {
  const site = await world.site()
  const page = await site.open('/a')
  await site.stored(1)
  await page.evaluate(`
    history.replaceState({ x: 1 }, '', '/a')
    location.hash = 'part'
    history.pushState({}, '', '/b')
    history.replaceState({}, '', '/c')`)
  await site.stored(3)
  expect(urls(await site.storedAfterAll())).toEqual(['/a', '/c'])
})

test('tracker: a single-page application with data-hash sends a pageview for each fragment', async () => {
  const site = await world.site({ attributes: 'data-hash' })
  const page = await site.open('/app/?utm_source=x#/start')
  await site.stored(1)
  await page.evaluate("location.hash = '#/settings?tab=2'")
  await site.stored(3)
  await page.evaluate("location.hash = '#!about'")
  expect(urls(await site.stored(5))).toEqual([
    '/app/start?utm_source=x',
    '/app/settings?tab=2&utm_source=x',
    '/app/about?utm_source=x',
  ])
})

test('tracker: a single-page application with data-manual sends only the pageviews that the site asks for', {
  tags: ['full'],
}, async () => {
  const site = await world.site({ attributes: 'data-manual' })
  const page = await site.open('/app')
  await page.evaluate(`
    history.pushState({}, '', '/elsewhere')
    analytics('pageview', { path: '/virtual?x=1', title: 'Virtual', props: { plan: 'pro' } })
    analytics('Opened')`)
  await site.stored(2)
  const rows = await site.storedAfterAll()
  expect(rows).toHaveLength(2)
  expect(rows.find(row => row.type === 'pageview')).toMatchObject({
    url: '/virtual?x=1',
    title: 'Virtual',
    props: { plan: 'pro' },
  })
  expect(rows.find(row => row.type === 'event')).toMatchObject({ name: 'Opened', url: '/virtual?x=1' })
})

test('tracker: a page that the browser restores from its back-forward cache is counted again', {
  tags: ['full'],
}, async () => {
  const site = await world.site()
  const other = await world.site()
  const browser = await startChromium()
  onTestFinished(() => browser.close())
  const page = await site.open('/kept', await newPerson(browser))
  await site.stored(1)
  await page.evaluate('window.wasKept = true')
  await page.goto(other.origin)
  await page.goBack({ waitUntil: 'commit' })
  await page.waitForFunction('window.wasKept')
  await site.stored(3)
  expect(urls(await site.storedAfterAll())).toEqual(['/kept', '/kept'])
})

test('tracker: a page that the browser prerenders is counted when it is shown', {
  tags: ['full'],
}, async () => {
  const site = await world.site({
    head: "<script>Object.defineProperty(document, 'prerendering', { value: true })</script>",
  })
  const page = await site.open('/ahead')
  await page.evaluate('analytics("Early")')
  expect(await site.storedAfterAll()).toEqual([])
  await page.evaluate("document.dispatchEvent(new Event('prerenderingchange'))")
  const rows = await site.stored(2)
  expect(rows.map(row => row.type).sort()).toEqual(['event', 'pageview'])
})

test('tracker: an iPad that calls itself a Macintosh is a tablet', async () => {
  const site = await world.site()
  const person = await world.person({
    ...{ viewport: { width: 1024, height: 1366 }, hasTouch: true },
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15',
  })
  await site.open('/', person)
  await site.stored(1)
  expect(await world.service.db`select size, os, screen from sessions where site_no = ${site.no}`).toEqual([
    { size: 'tablet', os: 'iPadOS', screen: '1024x1366' },
  ])
})
