import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { EnrichedHit, VitalsReport } from '../../../src/ingestion/hit.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { dbOf, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'

const [SECOND, MINUTE] = [1_000, 60_000]
const NOON = Date.UTC(2026, 2, 10, 12)

const db = dbOf(useDatabase())

const visitorId = randomUUID()
const pageview = (site: TestSite, at: number, url = '/pricing', fields: Partial<EnrichedHit> = {}) =>
  enrichedHit(site, at, { visitorId, url, ...fields })
const ID = '11111111-0000-4000-8000-000000000001'
const report = (
  site: TestSite,
  at: number,
  vitals: Partial<VitalsReport>,
  fields: Partial<EnrichedHit> = {},
) => {
  const page = { visitorId, url: '/pricing', ...fields }
  return enrichedHit(site, at, { ...page, type: 'web_vitals', vitals: { id: ID, ...vitals } })
}

const rowsOf = ({ siteNo }: TestSite) => db`
  select id, at, received_at, lcp, inp, cls, fcp, ttfb, lcp_target, lcp_phase, inp_target, path, title, browser, props
  from web_vitals where site_no = ${siteNo} order by at, id`
const store = (hits: EnrichedHit[]) => storeHits(db, 0, hits)

test('web vitals: a report has the time and the dimensions of its pageview', async () => {
  const site = await createTestSite(db)
  await store([
    pageview(site, NOON, '/other'),
    pageview(site, NOON + SECOND, '/pricing?a=b', { title: 'Pricing', props: { plan: 'team' } }),
    pageview(site, NOON + 2 * SECOND, '/other'),
  ])
  const given = { lcp: 2_140, cls: 213, lcpTarget: '#hero "x" \\', lcpPhase: 'element_render_delay' }
  const result = await store([report(site, NOON + MINUTE, given)])
  expect(result).toMatchObject({ stored: 1, repeated: 0, orphanEngagement: [] })
  expect(await rowsOf(site)).toMatchObject([
    {
      ...{ id: ID, at: new Date(NOON + SECOND), received_at: new Date(NOON + MINUTE) },
      ...{ lcp: 2_140, inp: null, cls: 213, fcp: null, inp_target: '' },
      ...{ lcp_target: '#hero "x" \\', lcp_phase: 'element_render_delay' },
      ...{ path: '/pricing', title: 'Pricing', props: { plan: 'team' } },
    },
  ])
})

test('web vitals: a report in the batch of its pageview is recorded', async () => {
  const site = await createTestSite(db)
  const result = await store([report(site, NOON + SECOND, { lcp: 1 }), pageview(site, NOON)])
  expect(result.stored).toBe(2)
  expect(await rowsOf(site)).toMatchObject([{ at: new Date(NOON), lcp: 1 }])
})

test('web vitals: storing twice changes nothing, and the later report of an id stays in any order', async () => {
  const first = { lcp: 100, inp: 8 }
  const second = { lcp: 100, inp: 300, inpTarget: '#buy' }
  // Batches of reports by their number.
  for (const order of ['0 1', '1 0', '01', '10', '0 01 1 0', '11 00 10']) {
    const site = await createTestSite(db)
    await store([pageview(site, NOON)])
    const hits = [report(site, NOON + SECOND, first), report(site, NOON + MINUTE, second)]
    let counted = 0
    for (const batch of order.split(' ')) {
      const { stored, repeated } = await store([...batch].map(index => hits[Number(index)]!))
      expect(stored + repeated).toBe(batch.length)
      counted += stored
    }
    expect(counted).toBeLessThanOrEqual(2)
    expect(await rowsOf(site)).toMatchObject([{ id: ID, lcp: 100, inp: 300, inp_target: '#buy' }])
  }
})

test('web vitals: a later report stays with the pageview of the first one', async () => {
  const site = await createTestSite(db)
  await store([pageview(site, NOON)])
  await store([report(site, NOON + SECOND, { cls: 1 })])
  await store([pageview(site, NOON + MINUTE)])
  await store([report(site, NOON + 2 * MINUTE, { cls: 2 })])
  await store([report(site, NOON + 3 * MINUTE, { id: randomUUID(), cls: 3 })])
  expect(await rowsOf(site)).toMatchObject([
    { at: new Date(NOON), cls: 2 },
    { at: new Date(NOON + MINUTE), cls: 3 },
  ])
})

test('web vitals: reports of other visitors and sites with the same id are other reports', async () => {
  const sites = [await createTestSite(db), await createTestSite(db)] as const
  const other = { visitorId: randomUUID() }
  for (const site of sites) {
    await store([pageview(site, NOON), pageview(site, NOON, '/pricing', other)])
    await store([report(site, NOON + SECOND, { lcp: 1 }), report(site, NOON + SECOND, { lcp: 2 }, other)])
  }
  for (const site of sites) expect((await rowsOf(site)).map(row => row.lcp).sort()).toEqual([1, 2])
})

test('web vitals: without a pageview of the path a report is not recorded', async () => {
  const site = await createTestSite(db)
  await store([pageview(site, NOON, '/other'), pageview(site, NOON + MINUTE)])
  const early = report(site, NOON + SECOND, { lcp: 1 })
  const stranger = report(site, NOON + 2 * MINUTE, { lcp: 1 }, { visitorId: randomUUID() })
  const { stored, orphanEngagement } = await store([early, stranger])
  expect([stored, orphanEngagement.length]).toEqual([0, 2])
  expect(await rowsOf(site)).toEqual([])
})

test('web vitals: a report makes no session longer, and is no hit', async () => {
  const site = await createTestSite(db)
  await store([pageview(site, NOON)])
  await store([report(site, NOON + 10 * MINUTE, { lcp: 1 })])
  const [session] = await db`select last_at, events from sessions where site_no = ${site.siteNo}`
  expect(session).toEqual({ last_at: new Date(NOON), events: 0 })
  expect(await db`select type from events where site_no = ${site.siteNo}`).toEqual([{ type: 'pageview' }])
})

test('web vitals: past midnight a report belongs to the visitor of the day before', async () => {
  const site = await createTestSite(db)
  const midnight = Date.UTC(2026, 2, 11)
  const today = { visitorId: randomUUID(), previousVisitorId: visitorId }
  await store([pageview(site, midnight - MINUTE)])
  await store([report(site, midnight + MINUTE, { lcp: 1 }, today)])
  await store([report(site, midnight + 2 * MINUTE, { lcp: 2 }, today)])
  expect(await rowsOf(site)).toMatchObject([{ at: new Date(midnight - MINUTE), lcp: 2 }])
})

test('web vitals: reports of a deleted site, and of times without details, are dropped', async () => {
  const site = await createTestSite(db)
  await store([pageview(site, NOON)])
  await db`update sites set details_from = ${new Date(NOON + MINUTE)} where site_no = ${site.siteNo}`
  const { expired } = await store([report(site, NOON + SECOND, { lcp: 1 })])
  expect(expired).toHaveLength(1)
  await db`update sites set deleted_at = now() where site_no = ${site.siteNo}`
  const { dropped } = await store([report(site, NOON + 2 * MINUTE, { lcp: 1 })])
  expect(dropped).toBe(1)
  expect(await rowsOf(site)).toEqual([])
})
