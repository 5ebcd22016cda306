import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { readKeyedBody } from '../../../src/ingestion/edge/read-body.ts'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { deleteSpan } from '../../../src/outgoing/retention/delete-days.ts'
import { purgeDeletedSites } from '../../../src/outgoing/retention/purge-deleted-sites.ts'
import type { AppError } from '../../../src/platform/errors.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { type StatsSite, useStats } from '../../contract/stats-site.ts'
import { eraseNow } from '../../outgoing/people/steps.ts'
import { enrichedHit } from '../../support/hits.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const at = (time: string) => Date.parse(`2026-03-10T${time}Z`)

const stats = useStats()

/** Two visitors with two reports each, an hour apart. */
async function story() {
  const { db } = stats.api.services
  const site = await stats.site()
  const visitors = [randomUUID(), randomUUID()] as const
  for (const visitorId of visitors) {
    const page = { visitorId, url: '/a' }
    const report = (lcp: number, lcpTarget: string) =>
      ({ ...page, type: 'web_vitals', vitals: { id: randomUUID(), lcp, cls: 213, lcpTarget } }) as const
    await storeHits(db, 0, [
      enrichedHit(site, at('09:00:00'), page),
      enrichedHit(site, at('09:00:05'), report(900, '#hero')),
      enrichedHit(site, at('10:00:00'), page),
      enrichedHit(site, at('10:00:05'), report(5_000, '#late')),
    ])
  }
  const count = async () => (await db`select from web_vitals where site_no = ${site.siteNo}`).length
  return { db, site, visitors, count }
}

test('web vitals: an export of a person has the reports of this person alone', async () => {
  const { site, visitors } = await story()
  const seen: unknown[] = []
  let cursor: string | null = null
  do {
    const page: { web_vitals: object[]; next_cursor: string | null } = await stats.read(
      site as StatsSite,
      `/visitors/${visitors[0]}/export?per_page=1${cursor ? `&cursor=${cursor}` : ''}`,
    )
    seen.push(...page.web_vitals)
    cursor = page.next_cursor
  } while (cursor !== null)
  const first = { path: '/a', lcp: 900, cls: 0.0213, inp: null, lcp_target: '#hero' }
  expect(seen).toMatchObject([
    { timestamp: '2026-03-10T09:00:00.000Z', ...first },
    { timestamp: '2026-03-10T10:00:00.000Z', path: '/a', lcp: 5_000, lcp_target: '#late' },
  ])
})

test.each(['as rows', 'in the columnstore'])(
  'web vitals: an erased person has no reports, %s',
  { tags: ['full'] },
  async how => {
    const { db, site, visitors, count } = await story()
    if (how === 'in the columnstore') await compressSettledChunks(db, new Date(Date.UTC(2026, 5, 1)))
    await eraseNow(db, site, visitors[0], NOW)
    expect(await count()).toBe(2)
  },
)

test('web vitals: reports of a deleted site are purged', async () => {
  const { db, site, count } = await story()
  await db`update sites set deleted_at = ${NOW} where site_no = ${site.siteNo}`
  for (let run = 0; run < 50 && (await count()) > 0; run++) await purgeDeletedSites(db, NOW)
  expect(await count()).toBe(0)
})

test('web vitals: reports of a time span are deleted in parts, and only those of the site', async () => {
  const [mine, other] = [await story(), await story()]
  const span = { siteNo: mine.site.siteNo, start: new Date(at('08:00:00')), end: new Date(at('10:00:00')) }
  let parts = 0
  expect(await deleteSpan(mine.db, 'web_vitals', span, () => parts++ < 1)).toBe(true)
  expect([await mine.count(), await other.count(), parts]).toEqual([2, 4, 1])
  expect(
    await deleteSpan(mine.db, 'web_vitals', { ...span, end: new Date(at('11:00:00')) }, () => false),
  ).toBe(false)
})

const VALID = { key: randomUUID(), hostname: 'example.com', url: { path: '/' }, id: randomUUID(), lcp: 10.5 }

test.each([
  ['id', { id: 'x' }],
  ['id', { id: undefined }],
  ['url', { url: undefined }],
  ['lcp', { lcp: -1 }],
  ['lcp', { lcp: 600_001 }],
  ['lcp', { lcp: '10' }],
  ['lcp', { lcp: null }],
  ['lcp', { lcp: Number.POSITIVE_INFINITY }],
  ['cls', { cls: 1_001 }],
  ['ttfb', { ttfb: Number.NaN }],
  ['attribution', { attribution: 'x' }],
  ['attribution.lcp', { attribution: { lcp: [] } }],
  ['attribution.lcp.target', { attribution: { lcp: { target: 'a'.repeat(256) } } }],
  ['attribution.inp.phase', { attribution: { inp: { phase: 'waiting' } } }],
  ['attribution.ttfb.phase', { attribution: { ttfb: { phase: 5 } } }],
])('web vitals: a body is refused for %s: %j', (field, change) => {
  let error: AppError | undefined
  try {
    readKeyedBody('web-vitals', { ...VALID, ...change })
  } catch (thrown) {
    error = thrown as AppError
  }
  expect(error?.code).toBe('validation_failed')
  expect(Object.keys(error!.fields!)[0]!.startsWith(field)).toBe(true)
})

test('web vitals: times are whole milliseconds, cls ten-thousandths as sent, halves are rounded up', () => {
  for (const [cls, stored] of [
    [0.00005, 1],
    [0.00015, 2],
    [0.00145, 15],
    [0.07125, 713],
    [1.00005, 10_001],
    [1e-7, 0],
    [4.9e-5, 0],
  ]) {
    const { content } = readKeyedBody('web-vitals', { ...VALID, cls })
    expect(content.hit.vitals, String(cls)).toMatchObject({ cls: stored })
  }
  const attribution = { lcp: { target: 'a\0b', phase: null }, cls: null, inp: { target: 'x' } }
  const { content } = readKeyedBody('web-vitals', { ...VALID, cls: 0.00005, ttfb: 0.4, attribution })
  expect(content.hit.vitals).toEqual({
    ...{ id: VALID.id, lcp: 11, cls: 1, ttfb: 0 },
    lcpTarget: expect.stringMatching(/^a.?b$/),
  })
})
