// @module-tag full
import { gunzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { signIn } from '../support/browser-session.ts'
import { startLocalServer } from '../support/local-server.ts'
import { eventually } from '../support/service.ts'
import { countLoads, type Site, sharedWorld } from './world.ts'

const world = sharedWorld()

interface RecordedEvent {
  type: number
  timestamp: number
  data: { source?: number; href?: string }
}

interface StoredChunk {
  recording: string
  position: number
  path: string
  text: string
}

async function chunksOf({ no }: Site): Promise<StoredChunk[]> {
  const rows = await world.service.db<{ recording: string; position: number; path: string; data: Buffer }[]>`
    select recording, position, path, data from replay_chunks where site_no = ${no} order by first_event_ms, position`
  return rows.map(({ data, ...row }) => ({ ...row, text: gunzipSync(data).toString() }))
}

const eventsOf = (chunks: StoredChunk[]): RecordedEvent[] => chunks.flatMap(({ text }) => JSON.parse(text))

/** Everything that is stored of the site, once it passes a test. */
async function recorded(site: Site, isDone: (chunks: StoredChunk[]) => boolean): Promise<StoredChunk[]> {
  let chunks: StoredChunk[] = []
  await eventually(async () => {
    chunks = await chunksOf(site)
    return isDone(chunks)
  }, 60_000)
  return chunks
}

/** Opens a page and waits until it is asked whether it may record. */
async function openRecorded(site: Site, path: string): Promise<Page> {
  const page = await (await world.person()).newPage()
  const asked = page.waitForResponse(response => response.url().endsWith('/replay'))
  await page.goto(site.origin + path)
  await asked
  return page
}

const leave = (page: Page) => page.goto('about:blank')
const says = (text: string) => (chunks: StoredChunk[]) => chunks.some(chunk => chunk.text.includes(text))

test.each([
  ['where the site does not record sessions', {}],
  ['on excluded pages', { trackReplay: true, excludedPaths: ['/account/**'] }],
])('session replay: nothing of it is loaded %s', async (_, options) => {
  const site = await world.site(options)
  const page = await (await world.person()).newPage()
  const loads = countLoads(page, /replay/)
  await page.goto(`${site.origin}/account/keys`)
  await site.stored(1)
  await page.waitForLoadState('networkidle')
  expect(loads).toEqual([])
  await page.close()
})

const FORM = `
  <h1>Sign up</h1>
  <input id="text" value="prefilled-text"> <input id="cleared" value="prefilled-cleared">
  <input type="hidden" value="hidden-token">
  <input id="password" type="password">
  <textarea id="area">prefilled-area</textarea>
  <select id="choice"><option value="a">First</option><option value="chosen-option">Second</option></select>
  <div id="editable" contenteditable="true"><b>prefilled-editable</b></div>
  <x-field id="field" value="prefilled-component"></x-field>
  <p data-analytics-mask>masked-by-page <input type="submit" value="masked-button"></p>
  <div data-analytics-block>blocked-by-page</div>
  <iframe srcdoc="framed-by-page <input><p>framed-text</p>"></iframe>
  <div data-analytics-unmask>
    <input id="shown"> <input id="secret" type="password"> <input id="card" autocomplete="section-a cc-number">
  </div>
  <a href="#top">top</a>
  <style>h1 { background: url(spot.png) }</style>
  <div id="host" data-analytics-mask></div>
  <script>host.attachShadow({ mode: 'open' }).textContent = 'shadow-first'</script>`

test('session replay: what is typed is nowhere in what is stored, unless the page says so', async () => {
  const site = await world.site({ trackReplay: true, body: FORM })
  const page = await openRecorded(site, '/form?next=/in-the-address/part&token=in-the-address#part')
  await page.fill('#text', 'typed-text')
  await page.fill('#cleared', '')
  await page.fill('#password', 'typed-password')
  await page.fill('#area', 'typed-area')
  await page.selectOption('#choice', 'chosen-option')
  await page.click('#editable')
  await page.keyboard.type('typed-editable')
  await page.fill('#shown', 'typed-shown')
  await page.fill('#secret', 'typed-secret')
  await page.fill('#card', '4111111111111111')
  await page.evaluate(`document.getElementById('text').setAttribute('value', 'typed-attribute')
    document.getElementById('field').setAttribute('value', 'typed-component')
    host.shadowRoot.firstChild.data = 'shadow-changed'
    host.shadowRoot.append('shadow-added')
    choice.options[1].setAttribute('selected', '')
    document.body.append(Object.assign(document.createElement('p'), { textContent: 'later' }))`)
  const frame = page.frames()[1]!
  await frame.fill('input', 'framed-typed')
  await frame.evaluate(`document.querySelector('p').textContent = 'framed-later'
    document.body.append('framed-added')`)
  await page.click('h1')
  await leave(page)
  const chunks = await recorded(site, all => says('later')(all) && says('typed-shown')(all))
  const text = chunks.map(chunk => chunk.text).join('\n')
  expect(text).toContain('Sign up')
  const prefilled = 'prefilled hidden-token masked-by-page masked-button blocked-by-page shadow-'.split(' ')
  const typed = ['text', 'password', 'area', 'editable', 'secret', 'attribute', 'component'].map(
    field => `typed-${field}`,
  )
  for (const hidden of [
    ...prefilled,
    ...typed,
    '4111111111111111',
    'framed',
    'in-the-address',
    '{"selected"',
  ])
    expect(text.includes(hidden), hidden).toBe(false)
  expect(chunks.every(({ path }) => path === '/form')).toBe(true)
})

const PICTURE = `<svg xmlns='http://www.w3.org/2000/svg' width='240' height='160'><rect width='240' height='160'/></svg>`

/** A server with a picture, which answers late, and what it was asked for. */
async function pictureServer() {
  const asked: string[] = []
  const { port, close } = await startLocalServer(async (request, response) => {
    asked.push(request.url!)
    await new Promise(resolve => setTimeout(resolve, 500))
    response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(PICTURE)
  })
  onTestFinished(close)
  return { address: `http://pictures.example:${port}/a.svg`, asked }
}

/** Opens the visit of a site in the web interface, as an owner of its team. */
async function openVisit(site: Site) {
  const { db, teamId } = world.service
  const services = { db, now: () => new Date(), config: { baseUrl: world.analytics } as never }
  const { secret } = await signIn({ services }, { teamId })
  const context = await world.person({ viewport: { width: 1280, height: 900 } })
  await context.addCookies([{ name: 'analytics_session', value: secret, url: world.analytics }])
  const [row] = await db<{ id: string }[]>`select id from sites where site_no = ${site.no}`
  const page = await context.newPage()
  await page.goto(`${world.analytics}/sites/${row!.id}/people?tab=replays&range=today`)
  return page
}

test('session replay: what the tracker recorded is listed and played, page by page, with its errors', async () => {
  const pictures = await pictureServer()
  const site = await world.site({
    trackReplay: true,
    trackErrors: true,
    head: `<style>h1 { color: rgb(1, 2, 3) } img { max-width: 100% }</style>`,
    body: `<h1>Start</h1><ul id="list"></ul><img alt="" src="${pictures.address}">`,
  })
  const visitor = await openRecorded(site, '/play')
  await recorded(site, says('Start'))
  await visitor.evaluate(`document.getElementById('list').append(
    Object.assign(document.createElement('li'), { textContent: 'added' }))`)
  await visitor.mouse.move(50, 60)
  await visitor.evaluate(`new Promise(resolve => setTimeout(resolve, 2_500))`)
  await visitor.evaluate(`setTimeout(() => { throw new TypeError('broken') })`)
  await visitor.evaluate(`new Promise(resolve => setTimeout(resolve, 1_500)).then(() => {
    document.querySelector('h1').textContent = 'After the error' })`)
  const asked = visitor.waitForResponse(response => response.url().endsWith('/replay'))
  await visitor.goto(`${site.origin}/second`)
  await asked
  await visitor.mouse.move(80, 60)
  await recorded(site, chunks => chunks.some(({ path }) => path === '/second'))
  await leave(visitor)
  const chunks = await recorded(site, says('After the error'))
  const first = chunks.filter(({ recording }) => recording === chunks[0]!.recording)
  expect(first.map(({ position }) => position)).toEqual(first.map((_, index) => index))
  const events = eventsOf(first)
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual([4, 2])
  expect(events[0]!.data.href).toBe(`${site.origin}/play`)
  const times = events.map(({ timestamp }) => timestamp)
  expect(times).toEqual(times.toSorted((a, b) => a - b))

  const page = await openVisit(site)
  const asks = pictures.asked.length
  await page.click('main table >> role=link[name="Watch the recording"]')
  const recordedPage = page.frameLocator('iframe[title="Recording"]').frameLocator('iframe')
  await recordedPage.locator('h1 >> text=Start').waitFor()
  expect(
    await recordedPage.locator('h1').evaluate(h1 => h1.ownerDocument.defaultView.getComputedStyle(h1).color),
  ).toBe('rgb(1, 2, 3)')
  const box = () => recordedPage.locator('img').evaluate(img => [img.clientWidth, img.clientHeight])
  await expect.poll(box).toEqual([240, 160])
  const marks = page.locator('ol[aria-label="Pages and errors of the recording"] button')
  const labels = await marks.evaluateAll(all => all.map(each => each.getAttribute('aria-label')))
  expect(labels).toEqual([
    'Page /play, at 0:00',
    expect.stringMatching(/^TypeError, at .*: show the second before$/),
    expect.stringMatching(/^Page \/second, at /),
  ])
  await page.click('role=button[name="Pause"]')
  // The second before the error has what was there then.
  await marks.nth(1).click()
  await recordedPage.locator('li >> text=added').waitFor()
  expect(await recordedPage.locator('h1').textContent()).toBe('Start')
  const at = Number(new URL(page.url()).searchParams.get('at'))
  expect(at).toBeGreaterThan(0)
  await page.reload()
  await recordedPage.locator('li >> text=added').waitFor()
  expect(await recordedPage.locator('h1').textContent()).toBe('Start')
  expect(Number(new URL(page.url()).searchParams.get('at'))).toBe(at)
  // On to the next page, by itself.
  await page.click('role=button[name="8×"]')
  await page.keyboard.press('ArrowRight')
  await page.click('role=button[name="Play"]')
  await page.waitForSelector('role=button[name="Play"]')
  await recordedPage.locator('h1 >> text=Start').waitFor()
  expect(pictures.asked.length).toBe(asks)
  await page.context().close()
})

test.each([
  ['the site', { excludedPaths: ['/secret/*'] }],
  ['the tag', { attributes: 'data-exclude="/secret/*"' }],
])(
  'session replay: a page that %s excludes leaves no trace after a change of the address',
  async (_, options) => {
    const site = await world.site({ trackReplay: true, body: '<main id="main">before-it</main>', ...options })
    const page = await openRecorded(site, '/open')
    await recorded(site, says('before-it'))
    // An application may change the page just before, with, or after the address.
    await page.evaluate(`
    main.textContent = 'hidden-early'
    history.pushState({}, '', '/secret/a')
    main.textContent = 'hidden-late'
    document.title = 'hidden-title'`)
    await page.mouse.move(50, 50)
    await page.evaluate(
      `new Promise(resolve => setTimeout(resolve, 600)).then(() => { main.textContent = 'hidden-later' })`,
    )
    await page.evaluate(`history.pushState({}, '', '/open/again')`)
    await page.mouse.move(60, 60)
    await page.evaluate(`new Promise(resolve => setTimeout(resolve, 1500)).then(() => {
    document.title = 'Again'
    main.textContent = 'after-it'
  })`)
    const chunks = await recorded(site, says('after-it'))
    await leave(page)
    const text = chunks.map(chunk => chunk.text).join('\n')
    expect(text).not.toContain('hidden')
    expect(text).not.toContain('secret')
    const recordings = [...new Set(chunks.map(({ recording }) => recording))]
    expect(recordings.length).toBe(2)
    const again = chunks.filter(({ recording }) => recording === recordings[1])
    expect(
      eventsOf(again)
        .slice(0, 2)
        .map(({ type }) => type),
    ).toEqual([4, 2])
    expect(again[0]).toMatchObject({ position: 0, path: '/open/again' })
    await page.close()
  },
)

test('session replay: an excluded page leaves no trace where the tab is hidden at once, or recording had paused', async () => {
  const site = await world.site({
    trackReplay: true,
    excludedPaths: ['/secret/*'],
    // A clock that the test moves on.
    head: '<script>let ahead = 0; const now = Date.now; Date.now = () => now() + ahead</script>',
    body: '<main id="main">before-it</main>',
  })
  const page = await openRecorded(site, '/open')
  await recorded(site, says('before-it'))
  const wait = (ms: number) => page.evaluate(`new Promise(resolve => setTimeout(resolve, ${ms}))`)
  await page.evaluate(`(async () => {
    main.textContent = 'hidden-early'
    await new Promise(resolve => setTimeout(resolve, 50))
    history.pushState({}, '', '/secret/a')
    Object.defineProperty(document, 'hidden', { value: true, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
    delete document.hidden
  })()`)
  await page.evaluate(`history.pushState({}, '', '/open/b'); main.textContent = 'between-them'`)
  await recorded(site, says('between-them'))
  // The visitor has done nothing for a long time.
  await page.evaluate(`ahead = 400_000; main.textContent = 'not-recorded'`)
  await wait(100)
  await page.evaluate(`history.pushState({}, '', '/secret/c'); main.textContent = 'hidden-late'`)
  await wait(1_500)
  await page.evaluate(`history.pushState({}, '', '/open/d')`)
  await page.mouse.move(50, 50)
  await page.mouse.move(60, 60)
  await wait(1_500)
  await page.evaluate(`main.textContent = 'after-it'`)
  const chunks = await recorded(site, says('after-it'))
  await leave(page)
  const text = chunks.map(chunk => chunk.text).join('\n')
  for (const never of ['hidden', 'secret', 'not-recorded']) expect(text.includes(never), never).toBe(false)
  await page.close()
})
