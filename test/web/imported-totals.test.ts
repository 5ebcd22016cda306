import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { importTotals } from '../../src/outgoing/transfer/totals/import-totals.ts'
import { fileOf } from '../outgoing/transfer/read/source.ts'
import { zipOf } from '../outgoing/transfer/read/zip-file.ts'
import { expectFit } from './audit-page.ts'
import { siteVisit } from './site-visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const QUERY = 'from=2026-03-01&to=2026-03-17'

const all = siteVisit({
  now: () => NOW,
  hits: [{ at: Date.parse('2026-03-11T10:00:00Z'), visitor: randomUUID(), fields: { url: '/' } }],
})

beforeAll(async () => {
  const days = ['2026-03-05,40,60', '2026-03-06,30,50']
  await importTotals(
    { db: all.visit.api.services.db, now: () => NOW },
    { siteNo: all.site.siteNo, timezone: 'UTC' },
    {
      format: 'plausible-totals',
      file: fileOf(
        zipOf([
          { name: 'imported_visitors.csv', bytes: `date,visitors,visits\n${days.join('\n')}\n` },
          { name: 'imported_pages.csv', bytes: 'date,page,visitors\n2026-03-05,/old,40\n' },
        ]),
        'export.zip',
      ),
    },
  )
})

const visitors = () => all.page.textContent('button[aria-pressed="true"] strong')

test('imported totals: the overview has them, marks them, and leaves them out on request; other periods say nothing', async () => {
  const { page, member, open, go } = all
  await open(`?${QUERY}`)
  expect(await visitors()).toBe('71')
  await page.waitForSelector('text=Includes imported totals from Plausible, 5 Mar 2026 to 6 Mar 2026')
  expect(await page.getAttribute('figure svg rect[data-shaded]', 'data-shaded')).toBe('4-5')
  const pages = page.locator('section[aria-label="Pages"]').first()
  expect(await pages.locator('ol li').first().textContent()).toContain('/old')
  expect(await pages.textContent()).toContain('With imported totals')
  const places = page.locator('section[aria-label="Places"]').first()
  expect(await places.textContent()).toContain('they have no such values')
  await expectFit(page)

  await page.click('text=Leave out')
  await expect.poll(visitors).toBe('1')
  expect(new URL(page.url()).searchParams.get('imported')).toBe('off')
  expect(await page.locator('rect[data-shaded]').count()).toBe(0)
  await page.click('button:text("Include")')
  await expect.poll(visitors).toBe('71')
  await go('?from=2026-03-11&to=2026-03-17&compare=none')
  expect(await page.textContent('main')).not.toContain('mported totals')
  expect(member.complaints).toEqual([])
})
