import { expect, test } from 'vitest'
import { sweep } from '../support/runs.ts'
import { eventually } from '../support/service.ts'
import { countLoads, type Site, sharedWorld } from './world.ts'

const world = sharedWorld()

interface StoredVitals {
  path: string
  id: string
  lcp: number | null
  inp: number | null
  cls: number | null
  fcp: number | null
  ttfb: number | null
  lcp_target: string
  lcp_phase: string
  cls_target: string
  inp_target: string
  visitor: string
}

const vitalsOf = ({ no }: Site) => world.service.db<StoredVitals[]>`
  select w.*, v.id as visitor from web_vitals w join visitors v using (visitor_no)
  where w.site_no = ${no} order by w.at, w.id`

/** Waits until a report passes a test. */
async function reports(
  site: Site,
  isDone: (rows: StoredVitals[]) => boolean | Promise<boolean>,
): Promise<StoredVitals[]> {
  let rows: StoredVitals[] = []
  await eventually(async () => {
    rows = await vitalsOf(site)
    return isDone(rows)
  })
  return rows
}

/** Opens a page as somebody new, and waits for the second script. */
async function measured(site: Site, path = '/') {
  const page = await (await world.person()).newPage()
  const loads = countLoads(page, /vitals\.js/)
  const loaded = page.waitForResponse(response => response.url().includes('vitals.js'))
  await page.goto(site.origin + path)
  await loaded
  return { page, loads }
}

const BODY = `<h1 id="hero">A large heading of the page</h1><button id="slow">slow</button>
  <script>document.getElementById('slow').onclick = () => { const end = performance.now() + 150; while (performance.now() < end); }</script>`

/** A click is measured when the page has been painted after it. */
const CLICK_IS_MEASURED = `new Promise(done =>
  new PerformanceObserver(list => list.getEntries().some(({ name }) => name === 'click') && done())
    .observe({ type: 'event', buffered: true, durationThreshold: 100 }))`

test.each(
  sweep([
    ['/js/script.js', '/js/vitals.js'],
    ['/t/script.js?v=2', '/t/vitals.js'],
  ]),
)('web vitals: %s loads %s once, and a page that is left sends a report', async (script, second) => {
  const site = await world.site({ body: BODY, script, trackVitals: true })
  const { page, loads } = await measured(site, '/shop?a=b')
  await page.evaluate(`history.pushState({}, '', '/next')`)
  await site.stored(2)
  await page.click('#slow')
  await page.evaluate(CLICK_IS_MEASURED)
  await page.goto('about:blank')
  const [row, ...others] = await reports(site, rows => rows.length > 0)
  expect(others).toEqual([])
  expect(row).toMatchObject({
    path: '/shop',
    lcp: expect.any(Number),
    fcp: expect.any(Number),
    ttfb: expect.any(Number),
    cls: expect.any(Number),
    lcp_target: expect.stringContaining('hero'),
  })
  expect(row!.inp).toBeGreaterThanOrEqual(100)
  expect(row!.inp_target).toContain('slow')
  expect(row!.lcp).toBeGreaterThanOrEqual(row!.fcp!)
  expect(row!.lcp_phase).toMatch(/^(time_to_first_byte|element_render_delay)$/)
  expect(loads).toEqual([second])
  await page.close()
})

test('web vitals: a value that grows after a report replaces it', async () => {
  const site = await world.site({ body: BODY, trackVitals: true })
  const { page } = await measured(site)
  const hide = (isHidden: boolean) =>
    page.evaluate(`
      Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
      Object.defineProperty(document, 'visibilityState', {
        value: '${isHidden ? 'hidden' : 'visible'}', configurable: true
      })
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
  /** Shows and hides the page until a report passes a test: the browser measures when it likes. */
  const hideUntil = (isDone: (rows: StoredVitals[]) => boolean) =>
    reports(site, async rows => {
      await hide(false)
      await hide(true)
      return isDone(rows)
    })
  const [first] = await hideUntil(rows => rows.some(({ lcp }) => lcp !== null))
  expect(first!.inp).toBeNull()
  await hide(false)
  await page.click('#slow')
  const rows = await hideUntil(all => all.some(({ inp }) => inp !== null))
  expect(rows).toMatchObject([{ id: first!.id, lcp: first!.lcp }])
  await page.close()
})

test.each(
  sweep([
    ['where the site does not record them', {}],
    ['on a page that is excluded', { trackVitals: true, attributes: 'data-exclude="/secret"' }],
  ]),
)('web vitals: nothing is measured %s', async (_, options) => {
  const site = await world.site({ body: BODY, ...options })
  const page = await (await world.person()).newPage()
  const loads = countLoads(page, /vitals\.js/)
  await page.goto(`${site.origin}/secret`)
  await page.evaluate(`history.pushState({}, '', '/next')`)
  await site.stored(1)
  await page.waitForLoadState('networkidle')
  if (!('trackVitals' in options)) expect(loads).toEqual([])
  await page.goto('about:blank')
  await site.storedAfterAll()
  expect(await vitalsOf(site)).toEqual([])
  await page.close()
})
