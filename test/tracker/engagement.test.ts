import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { sharedWorld } from './world.ts'

const world = sharedWorld()
/** A page of a site without the tracker. */
let elsewhere: string
beforeAll(async () => {
  elsewhere = `${(await world.site()).origin.replace('//', '//untracked-')}/`
})

/** Four screens of 500 pixels. */
const TALL = '<div style="height: 2000px"></div>'

/** Milliseconds since the page was opened. */
const clockOf = (page: Page) => page.evaluate<number>('performance.now()')

/** Waits by the clock of the page, from now on: how late a busy machine comes to this point then does not matter. */
async function forMilliseconds(page: Page, ms: number): Promise<void> {
  const from = await clockOf(page)
  await page.waitForFunction(`performance.now() > ${from} + ${ms}`)
}

const engagement = <Row extends { type: string }>(rows: Row[]) =>
  rows.filter(row => row.type === 'engagement')

test('engagement: closing the tab sends it', async () => {
  const site = await world.site({ body: TALL })
  const page = await site.open('/')
  await site.stored(1)
  await page.close({ runBeforeUnload: true })
  expect(engagement(await site.stored(2))).toMatchObject([{ scroll: 25 }])
})

test('engagement: deepest scroll and engaged time of one page are sent before the next pageview, the rest when it is left', async () => {
  const site = await world.site({ body: TALL })
  const page = await site.open('/one')
  await site.stored(1)
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  // The browser reports scrolling once a frame.
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
  await page.evaluate('scrollTo(0, 500)')
  await forMilliseconds(page, 1_000)
  const sent: string[] = []
  page.on('request', request => sent.push(new URL(request.url()).pathname))
  await page.evaluate(`history.pushState({}, '', '/two'); scrollTo(0, 500)`)
  await page.waitForFunction('scrollY === 500')
  await site.stored(3)
  expect(sent).toEqual(['/api/engage', '/api/collect'])
  await page.goto(elsewhere)
  // Two processes received the hits that were sent together, so their times say nothing about their order.
  const rows = (await site.stored(4)).sort(
    (a, b) => a.url.localeCompare(b.url) || -a.type.localeCompare(b.type),
  )
  expect(rows.map(row => [row.type, row.url, row.scroll])).toEqual([
    ['pageview', '/one', null],
    ['engagement', '/one', 100],
    ['pageview', '/two', null],
    ['engagement', '/two', 50],
  ])
  expect(rows[1]!.title).toBe('Page /one')
  expect(rows[1]!.ms).toBeGreaterThan(500)
  expect(rows[1]!.ms).toBeLessThan(30_000)
})

test('engagement: time in the background does not count, and nothing is sent without a change', async () => {
  const site = await world.site({ body: TALL })
  const page = await site.open('/')
  await site.stored(1)
  const show = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true })
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
  await show(true)
  const [first] = engagement(await site.stored(2))
  expect(first).toMatchObject({ scroll: 25 })
  await forMilliseconds(page, 1_500)
  const shownFrom = await clockOf(page)
  await show(false)
  await show(true)
  expect(engagement(await site.storedAfterAll())).toHaveLength(1)
  await show(false)
  await page.evaluate('scrollTo(0, 1000)')
  await page.waitForFunction('scrollY === 1000')
  await show(true)
  const shownTo = await clockOf(page)
  const [, second] = engagement(await site.stored(3))
  expect(second!.scroll).toBe(75)
  expect(second!.ms).toBeLessThanOrEqual(shownTo - shownFrom)
})

test('engagement: each hit has the time since the hit before', { tags: ['full'] }, async () => {
  const site = await world.site({ body: TALL })
  const page = await site.open('/')
  await site.stored(1)
  const hide = "dispatchEvent(new Event('pagehide'))"
  await forMilliseconds(page, 1_200)
  await page.evaluate(hide)
  await forMilliseconds(page, 1_200)
  await page.evaluate(hide)
  const now = await clockOf(page)
  const pings = engagement(await site.stored(3))
  expect(pings.map(row => row.scroll)).toEqual([25, 25])
  expect(pings[0]!.ms! + pings[1]!.ms!).toBeLessThan(now)
  expect(pings[1]!.ms).toBeGreaterThan(1_000)
})
