import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { accessibilityProblems, expectFit } from './audit-page.ts'
import { TOO_SLOW } from './seeded-site.ts'
import { dialogGone, fillDialog } from './signed-in-page.ts'
import { siteVisit } from './site-visit.ts'
import { openWhole } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const DAY = 86_400_000
const RANGE = 'range=last_30_days'

const all = siteVisit({
  now: () => NOW,
  hits: Array.from({ length: 12 }, (_, index) => {
    const visitor = randomUUID()
    const at = NOW.getTime() - (1 + index) * DAY
    const plan = index === 0 ? 'team' : 'pro'
    return [
      { at, visitor, fields: { url: index % 2 === 0 ? '/docs/start' : '/docs/api/rest' } },
      ...(index % 3 === 0
        ? [{ at: at + 1_000, visitor, fields: { type: 'event' as const, name: 'signup', props: { plan } } }]
        : []),
    ]
  }).flat(),
})

beforeEach(async () => {
  const { data } = await all.read('/goals')
  for (const { id } of data) await all.site.call('DELETE', `/goals/${id}`)
})

const open = () => all.open(`goals?${RANGE}`)

/** Rows of the list: name, conversions, visitors, rate. */
const rows = () =>
  all.page.$$eval('main table tbody tr', trs =>
    trs.map(tr => [
      tr.querySelector('bdi')!.textContent,
      ...[...tr.querySelectorAll('td')].slice(1, 4).map(td => td.textContent),
    ]),
  )

const reported = async (query: string) =>
  (await all.read(`/stats/goals?${query}`)).map(
    (row: { display_name: string; conversions: number; visitors: number; conversion_rate: number }) => [
      row.display_name,
      String(row.conversions),
      String(row.visitors),
      `${row.conversion_rate}%`,
    ],
  )

async function fields(values: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await all.page.fill(`role=dialog >> [name=${name}]`, value)
  }
}

test('goals: a site without goals says so; the editor shows what would have matched and what is wrong, saves, changes and deletes', async () => {
  const { page, member, site } = all
  await open()
  await page.waitForSelector('text=No goal yet')
  await page.click('role=button[name="New goal"]')
  await page.selectOption('role=dialog >> select[name=type]', 'page')
  await fields({ value: '/docs/*', display_name: 'Reads the docs' })
  const preview = page.locator('[role=dialog] [role=status]')
  await preview.locator('text="/docs/start"').waitFor()
  const definition = JSON.stringify({ match_type: 'page', match_value: '/docs/*' })
  const { body } = await site.call(
    'GET',
    `/stats/goal-preview?${RANGE}&definition=${encodeURIComponent(definition)}`,
  )
  expect(await preview.textContent()).toContain(
    `${body.conversions} conversions by ${body.visitors} visitors`,
  )
  await fields({ value: '/docs/**' })
  await preview.locator('text="/docs/api/rest"').waitFor()
  await page.selectOption('role=dialog >> select[name=operator]', 'matches_regex')
  await fields({ value: '(' })
  await preview.locator('text=/expression/').waitFor()
  await page.selectOption('role=dialog >> select[name=operator]', 'starts_with')
  await fields({ value: '/docs/' })
  expect(await accessibilityProblems(page)).toEqual([])
  await fillDialog(page)
  await dialogGone(page)
  await expect.poll(rows).toEqual([['Reads the docs', '12', '12', '100%']])
  await page.click('role=button[name="New goal"]')
  await fields({ value: 'signup', display_name: 'reads the DOCS' })
  await page.click('text=Add a property')
  await page.fill('role=dialog >> input[aria-label="Property"]', 'plan')
  await page.fill('role=dialog >> input[aria-label="Property value"]', 'team')
  await page.waitForSelector('role=dialog >> text=1 conversion by 1 visitor')
  await fillDialog(page, { display_name: 'Reads the docs' })
  await page.waitForSelector('role=dialog >> role=alert')
  await fillDialog(page, { display_name: 'Team plan' })
  await dialogGone(page)
  const { data } = await all.read('/goals?search=team')
  expect(data).toMatchObject([{ match_value: 'signup', custom_props: { plan: 'team' } }])
  for (const query of ['range=last_7_days&path=/docs/start', RANGE]) {
    await all.go(`goals?${query}`)
    await expect.poll(rows).toEqual(await reported(query))
  }

  await page.click('role=button[name="Change or delete Team plan"]')
  await page.click('role=menuitem[name="Edit"]')
  expect(await page.inputValue('role=dialog >> input[aria-label="Property value"]')).toBe('team')
  await page.fill('role=dialog >> input[aria-label="Property value"]', 'pro')
  await page.waitForSelector('role=dialog >> text=3 conversions by 3 visitors')
  await fillDialog(page)
  await dialogGone(page)
  await expect.poll(async () => (await rows()).find(([name]) => name === 'Team plan')?.[1]).toBe('3')

  await page.click('role=link[name="Team plan"]')
  await page.waitForURL('**goal=*')
  await page.goBack()
  await page.click('role=button[name="Change or delete Team plan"]')
  await page.click('role=menuitem[name="Delete"]')
  await fillDialog(page)
  await expect.poll(async () => (await rows()).map(([name]) => name)).toEqual(['Reads the docs'])
  expect(member.complaints).toEqual([])
})

test('goals: events of the period become goals', { tags: ['full'] }, async () => {
  const { page } = all
  await open()
  await page.click('role=button[name="From events"]')
  await page.check('role=dialog >> text=signup')
  await page.click('role=button[name="Create 1 goal"]')
  await expect.poll(async () => (await rows()).map(([name]) => name)).toContain('signup')
})

test('goals: numbers that take too long say so, and the list lives', { tags: ['full'] }, async () => {
  const { page, site } = all
  const goal = { match_type: 'page', match_value: '/docs/**', display_name: 'Reads the docs' }
  await site.call('POST', '/goals', goal)
  await page.route('**/trpc/stats.goals', route => route.fulfill(TOO_SLOW))
  await open()
  await page.waitForSelector('text=Try a shorter range or fewer filters')
  await expect.poll(async () => (await rows())[0]).toEqual(['Reads the docs', '–', '–', '–'])
  await page.unroute('**/trpc/stats.goals')
  await page.click('role=button[name="Try again"]')
  await expect.poll(async () => (await rows())[0]?.[1]).toBe('12')
})

test('goals: names are texts: no markup, in one line, on a phone too; viewers only read them', {
  tags: ['full'],
}, async () => {
  const { visit, page, member, site } = all
  const name = `<img src=x onerror="alert(1)">\u202e${'x'.repeat(200)}`
  const value = `/${'y'.repeat(2_000)}`
  await site.call('POST', '/goals', { match_type: 'page', match_value: value, display_name: name })
  await open()
  const shown = page.locator('main table bdi >> text=<img src=x')
  await shown.waitFor()
  expect(await page.$('img[src=x]')).toBeNull()
  expect(await shown.textContent()).not.toContain('\u202e')
  expect((await shown.boundingBox())!.height).toBeLessThan(30)
  await expectFit(page)
  expect(member.complaints).toEqual([])

  const viewer = await visit.member({ teamId: member.login.teamId, role: 'viewer' })
  await openWhole(viewer.page, `${visit.origin}/sites/${site.domain}/goals?${RANGE}`)
  await viewer.page.waitForSelector('main table')
  expect(await viewer.page.$('text=New goal')).toBeNull()
  expect(await viewer.page.$('role=button[name^="Change or delete"]')).toBeNull()
  await viewer.context.close()
})
