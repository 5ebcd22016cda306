import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { storeChunk } from '../../src/ingestion/replays/store-chunk.ts'
import { replayJob } from '../ingestion/replays/chunks.ts'
import { startLocalServer } from '../support/local-server.ts'
import { ofFile } from '../support/of-file.ts'
import { expectGood } from './audit-page.ts'
import { hostileEvents, hostileMarkup } from './hostile-recording.ts'
import { siteVisit } from './site-visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const RANGE = 'range=last_30_days'
const [ADA, BEN, EVE] = [randomUUID(), randomUUID(), randomUUID()]
const START = NOW.getTime() - 600_000
const hit = (visitor: string, seconds: number, fields: object) => ({
  ...{ visitor, at: START + seconds * 1_000, fields },
})

const error = { name: 'TypeError', message: 'x is not a function', stack: '' }
const all = siteVisit({
  now: () => NOW,
  hits: [
    hit(EVE, 0, { url: '/', title: 'Home' }),
    hit(ADA, 0, { url: '/', title: 'Home' }),
    hit(ADA, 5, { type: 'error', name: 'TypeError', url: '/', error }),
    hit(BEN, 0, { url: '/', title: 'Home' }),
  ],
})

/** A server of somebody else; what it hears. */
const elsewhere = ofFile(async () => {
  const started = await startLocalServer((request, response) => {
    heard.push(request.url!)
    response.end()
  })
  started.server.on('connection', () => heard.push('a connection'))
  return { ...started, origin: `http://evil.example:${started.port}` }
})
const heard: string[] = []

const sessionOf = async (visitorId: string): Promise<string> =>
  (await all.read(`/stats/sessions?visitor_id=${visitorId}&${RANGE}`)).data[0].session_id

async function record(visitorId: string, content: object[], path = '/') {
  const { visit, site } = all
  const at = (content.at(-1) as { timestamp: number }).timestamp + 1_000
  const job = replayJob(site, at, { visitorId, content, path, pageAt: START })
  expect(await storeChunk(visit.api.services.db, job)).toBe('stored')
  return sessionOf(visitorId)
}

/** A page whose headline counts the seconds, shortly before each is over. */
function countingPage(from: number, last: number) {
  const at = (second: number) => START + (from + second) * 1_000
  const text = { type: 3, id: 5, textContent: '0' }
  const h1 = { type: 2, id: 4, tagName: 'h1', attributes: {}, childNodes: [text] }
  const body = { type: 2, id: 3, tagName: 'body', attributes: {}, childNodes: [h1] }
  const html = { type: 2, id: 2, tagName: 'html', attributes: {}, childNodes: [body] }
  const data = { node: { type: 0, id: 1, childNodes: [html] }, initialOffset: { left: 0, top: 0 } }
  return [
    { type: 4, timestamp: at(0), data: { href: '', width: 400, height: 300 } },
    { type: 2, timestamp: at(0) + 1, data },
    ...Array.from({ length: last }, (_, index) => ({
      ...{ type: 3, timestamp: at(index + 1) - 200 },
      data: { source: 0, adds: [], removes: [], attributes: [], texts: [{ id: 5, value: `${index + 1}` }] },
    })),
  ]
}

/** Requests of frames within the page, scripts that say so, and pages that are opened, from now on. */
function listen(page: Page) {
  const seen: string[] = []
  const note = (what: string) => seen.push(what)
  page.on('request', request => {
    const isOfPage = request.frame() === page.mainFrame()
    if (!isOfPage && !/^(data|about):/.test(request.url())) note(request.url())
  })
  page.on('console', message => message.text() === 'hostile script' && note('script'))
  page.on('dialog', dialog => void dialog.dismiss().then(() => note('dialog')))
  page.on('popup', () => note('popup'))
  return seen
}

const frameOf = (page: Page) => page.frameLocator('iframe[title="Recording"]')
const recordedIn = (page: Page) => frameOf(page).frameLocator('iframe')

test('replays: a recording that holds scripts, links and addresses of others asks for nothing and runs nothing', async () => {
  const { page, open, visit } = all
  const session = await record(EVE, hostileEvents(elsewhere.origin, START + 1_000))
  await open(`sessions/${session}?${RANGE}`)
  const seen = listen(page)
  await page.click('role=button[name="Watch the recording"]')
  await recordedIn(page).locator('h1 >> text=Here is a page').waitFor()
  // To its end.
  await page.waitForSelector('role=button[name="Play"]')
  expect(new URL(page.url()).searchParams.get('at')).toBe('1')
  // The recorded page takes no clicks and no focus.
  const { x, y } = (await page.locator('iframe[title="Recording"]').boundingBox())!
  await page.mouse.click(x + 100, y + 100)
  for (let key = 0; key < 12; key++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForTimeout(300)
  expect(heard).toEqual([])
  expect(seen).toEqual([
    `${visit.origin}/web/replay-frame`,
    expect.stringMatching(`^${visit.origin}/web/replay-frame-[A-Z0-9]{8}.js$`),
  ])
  expect(page.url()).toContain(`/sessions/${session}`)
})

test('replays: recorded visits are listed and marked; the player keeps its moment in the address, and has keys and marks', {
  tags: ['full'],
}, async () => {
  const { page, open, visit, member } = all
  const session = await record(ADA, countingPage(1, 8))
  await record(ADA, countingPage(60, 3), '/next')
  await open(`people?tab=sessions&${RANGE}`)
  const marked = await page.$$eval('main tbody tr', rows =>
    rows.map(row => row.querySelector('a[aria-label="Watch the recording"]')?.getAttribute('href') ?? ''),
  )
  expect(marked.filter(href => href.includes(`/sessions/${session}?`) && href.includes('at=0')).length).toBe(
    1,
  )
  await page.click('role=tab[name="Recordings"]')
  const list = page.locator('table[aria-label="Recordings"] tbody tr')
  await list.first().waitFor()
  const { data } = await all.read(`/stats/replays?${RANGE}`)
  expect(await list.count()).toBe(data.length)
  await open(`sessions/${await sessionOf(BEN)}?${RANGE}`)
  expect(await page.getByText('Recording', { exact: false }).count()).toBe(0)

  await open(`sessions/${session}?${RANGE}&at=3`)
  const headline = recordedIn(page).locator('h1')
  const shows = (text: string) => expect.poll(() => headline.textContent()).toBe(text)
  const at = () => new URL(page.url()).searchParams.get('at')
  await shows('2')
  expect(await page.isVisible('role=button[name="Play"]')).toBe(true)
  await page.keyboard.press('ArrowRight')
  await shows('7')
  expect(at()).toBe('8')
  await page.keyboard.press('ArrowLeft')
  await shows('2')
  await page.click('role=button[name="TypeError, at 0:04: show the second before"]')
  await shows('3')
  expect(at()).toBe('4')
  await page.click('role=button[name="Page /next, at 0:07"]')
  await shows('0')
  expect(at()).toBe('60')
  await page.click('main >> text=Show the second before')
  await shows('3')
  await expectGood(page, member.complaints)
  // From the last page on it plays to its end, by the space bar.
  await page.locator('input[type=range]').focus()
  await page.keyboard.press(' ')
  await page.waitForSelector('role=button[name="Pause"]')
  await shows('3')
  await page.waitForSelector('role=button[name="Play"]')
  await page.click('role=button[name="Close"]')
  expect(at()).toBeNull()

  const link = (await all.site.call('POST', '/shares', { name: 'All', sections: ['traffic', 'people'] })).body
  const guest = await (await visit.person()).newPage()
  const { pathname, hash } = new URL(link.url)
  await guest.goto(`${visit.origin}${pathname}/people?tab=replays&${RANGE}${hash}`)
  await guest.waitForSelector('role=tab[name="Visits"]')
  expect(await guest.getByText('Recordings').count()).toBe(0)
  await guest.context().close()
})

/** Opens the recording of Eve once more. */
async function playHostile() {
  await all.open(`sessions/${await sessionOf(EVE)}?${RANGE}&at=1`)
  await recordedIn(all.page).locator('h1 >> text=Here is a page').waitFor()
}

test('replays: without the policy of the frame, the cleaned recording asks for nothing and runs nothing either', {
  tags: ['full'],
}, async () => {
  const { page, visit } = all
  // The page of the frame and its script, without the headers.
  await page.route('**/web/replay-frame*', async route => {
    const answer = await fetch(visit.api.url + new URL(route.request().url()).pathname)
    await route.fulfill({
      contentType: answer.headers.get('content-type')!,
      body: await answer.text(),
    })
  })
  onTestFinished(() => page.unroute('**/web/replay-frame*'))
  const seen = listen(page)
  await playHostile()
  await page.click('role=button[name="Play"]')
  await page.waitForSelector('role=button[name="Play"]')
  expect([seen.filter(what => !what.startsWith(`${visit.origin}/web/`)), heard]).toEqual([[], []])
})

test('replays: the policy of the frame alone keeps markup from asking for anything and running anything', {
  tags: ['full'],
}, async () => {
  const { page } = all
  await playHostile()
  const seen = listen(page)
  await frameOf(page)
    .locator('body')
    .evaluate((body, markup) => {
      const inner = body.querySelector('iframe')!.contentDocument!
      inner.body.innerHTML = markup
      inner.head.innerHTML = markup
      for (const link of inner.querySelectorAll('a')) link.click()
      for (const form of inner.querySelectorAll('form')) form.submit()
    }, hostileMarkup(elsewhere.origin))
  await page.waitForTimeout(500)
  // Requests that the policy refuses are begun, and never sent.
  expect([seen.filter(what => !what.startsWith('http')), heard]).toEqual([[], []])
  expect(seen.filter(what => what.startsWith(elsewhere.origin)).length).toBeGreaterThan(20)
})
