import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { expectFit } from './audit-page.ts'
import type { SeededHit } from './seeded-site.ts'
import { factOn, seriesOn, tableOn } from './shown.ts'
import { expectTooSlow, siteVisit } from './site-visit.ts'
import { openWhole } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const DAY = 86_400_000
const RANGE = 'range=last_30_days'
const [ADA, BEN, EVE] = [randomUUID(), randomUUID(), randomUUID()]
/** An identifier with everything that a path could misread. */
const USER = 'ada/50%25 ?#<b>'
const LONG = 'x'.repeat(2_000)
const HOSTILE = `<img src=x onerror="alert(1)">\u202e${LONG}`
const MESSAGE = `${HOSTILE.slice(0, 1_000)} is not a function`

/** Ada comes twice, signs up and meets an error; Ben comes today; everything that Eve sends is hostile. */
function hits(): SeededHit[] {
  const yesterday = Date.parse('2026-03-17T03:00:00Z')
  const stack = `TypeError: ${MESSAGE}\n    at pay (https://example.com/app.js:12:7)`
  const error = { name: 'TypeError', message: MESSAGE, stack }
  const from = { country: 'DE', source: 'Google', channel: 'Organic Search', browserName: 'Firefox' }
  const of = (visitor: string, at: number, fields: SeededHit['fields'], dimensions = {}): SeededHit => ({
    ...{ visitor, at, fields: fields!, dimensions },
  })
  const ada = { identifier: USER, name: 'Ada Lovelace', custom: { company: 'Engines' } }
  const eve = { identifier: `eve-${LONG.slice(0, 200)}`, name: HOSTILE.slice(0, 200) }
  return [
    of(ADA, yesterday - 3 * DAY, { url: '/', title: 'Home' }, from),
    of(ADA, yesterday, { url: '/pricing', title: 'Pricing' }, from),
    of(ADA, yesterday + 20_000, { type: 'event', name: 'signup', url: '/pricing', props: { plan: 'pro' } }),
    of(ADA, yesterday + 30_000, { type: 'identify', identity: ada }),
    of(ADA, yesterday + 95_000, { type: 'error', name: 'TypeError', url: '/pay', error }),
    of(BEN, NOW.getTime() - 60_000, { url: '/docs', title: 'Docs' }, { country: 'JP' }),
    of(EVE, NOW.getTime() - 50_000, { url: `/${LONG}`, title: HOSTILE }, { source: HOSTILE.slice(0, 200) }),
    of(EVE, NOW.getTime() - 35_000, { type: 'identify', identity: eve }),
  ]
}

const all = siteVisit({ now: () => NOW, timezone: 'Asia/Tokyo', hits: hits() })
let signup: string

beforeAll(async () => {
  const { site } = all
  signup = (await site.call('POST', '/goals', { match_type: 'event', match_value: 'signup' })).body.id
  const paid = { amount: 4900, currency: 'USD', visitor_id: ADA, timestamp: '2026-03-17T03:05:00Z' }
  await site.call('POST', '/payments', { ...paid, transaction_id: 'sale-1' })
})

const rows = () => tableOn(all.page, 'main table')
const names = async () => (await rows()).map(row => row[0])
const items = () => all.page.$$eval('main ol li', found => found.map(item => item.textContent))

test('people: visitors, users and visits are those of the API', async () => {
  const { page, member, open, go, read } = all
  await open(`people?${RANGE}`)
  for (const [tab, path] of [
    ['visitors', '/stats/people?'],
    ['users', '/stats/people?kind=users&'],
    ['sessions', '/stats/sessions?'],
  ] as const) {
    const { data } = await read(`${path}${RANGE}`)
    await go(`people?tab=${tab}&${RANGE}`)
    await page.waitForSelector('main table tbody tr')
    expect(
      (await names()).map(name => name!.slice(0, 12)),
      tab,
    ).toEqual(data.map((row: Record<string, string>) => row.display_name!.slice(0, 12)))
    await expectFit(page)
  }
  // By the clocks of the site: noon in Tokyo.
  const [visit] = (await rows()).filter(row => row.some(cell => cell.endsWith('/pricing')))
  expect(visit).toEqual(expect.arrayContaining(['Tue 17 Mar, 12:00', 'Google', '/pricing', '1m 35s']))
  expect(member.complaints).toEqual([])
})

test('people: who converted yesterday is three clicks away from the overview', {
  tags: ['full'],
}, async () => {
  const { page, open } = all
  await open(`?${RANGE}`)
  await page.click('nav >> text=People')
  await page.click('role=button[name="signup"]')
  await page.click('role=button[name="Yesterday"]')
  await page.waitForURL(url => url.searchParams.get('range') === 'yesterday')
  expect(new URL(page.url()).searchParams.getAll('goal')).toEqual([signup])
  await expect.poll(names).toEqual(['Ada Lovelace'])
  await page.click('role=button[name="signup"]')
  await page.waitForURL(url => !url.searchParams.has('goal'))
})

test('people: users are found by a part of their name, and sorted by their visits', {
  tags: ['full'],
}, async () => {
  const { page, open } = all
  await open(`people?tab=users&${RANGE}`)
  await page.fill('role=searchbox', 'LOVE')
  await expect.poll(names).toEqual(['Ada Lovelace'])
  await page.click('role=button[name="Visits"]')
  await page.waitForSelector('th[aria-sort=descending] >> text=Visits')
  await page.fill('role=searchbox', 'no such user')
  await page.waitForSelector('text=No such users in this period')
})

test('a person: has a profile, numbers and a timeline by day, as the API has them, under each of its names', {
  tags: ['full'],
}, async () => {
  const { page, member, open, read } = all
  await open(`people?tab=users&${RANGE}`)
  await page.click('text=Ada Lovelace')
  await page.waitForSelector('h1:has-text("Ada Lovelace")')
  await page.waitForSelector('main ol li')
  expect(await page.textContent('header code')).toBe(USER)
  expect([await factOn(page, 'Visits'), await factOn(page, 'Revenue')]).toEqual(['1', '$49'])
  expect((await read(`/stats/people/${ADA}?${RANGE}`)).sessions).toBe(2)
  const { data } = await read(`/stats/people/${encodeURIComponent(USER)}/timeline?${RANGE}`)
  const kinds = data.map(({ kind }: { kind: string }) => kind)
  expect(kinds).toEqual(['payment', 'event', 'identity', 'event', 'session'])
  const shown = await items()
  expect(shown).toHaveLength(data.length)
  const marks = ['+$49', 'TypeError', 'Identified as', 'planpro', '/pricing']
  for (const [index, mark] of marks.entries()) expect(shown[index], mark).toContain(mark)
  // Noon in Tokyo.
  expect(shown.at(-1)).toContain('12:00:00')
  expect(await page.textContent('main section section h3')).toBe('Tuesday, 17 March 2026')
  expect(await page.textContent('main')).toContain('Engines')
  await expectFit(page)

  await open(`people/${ADA}?${RANGE}`)
  await page.click(`main >> role=link[name="${USER}"]`)
  await page.waitForSelector('dt:text-is("Visits") + dd:text-is("1")')
  expect(await page.textContent('header code')).toBe(USER)
  expect(member.complaints).toEqual([])
})

test('a person: without visits in the period there is a way to all of them', { tags: ['full'] }, async () => {
  const { page, open } = all
  await open(`people/${ADA}?range=today`)
  await page.click('role=button[name="Show all time"]')
  await page.waitForSelector('main ol li')
  expect(new URL(page.url()).searchParams.get('range')).toBe('all')
  await open(`people/${randomUUID()}?${RANGE}`)
  await page.waitForSelector('[role=alert]')
})

test('a person: an owner saves everything that is stored about the person', { tags: ['full'] }, async () => {
  const { page, open, read } = all
  await open(`people/${ADA}?${RANGE}`)
  let asked = 0
  await page.route('**/trpc/people.export', async route => {
    asked += 1
    const body = route.request().postDataJSON() as object
    await route.continue({ postData: JSON.stringify({ ...body, per_page: 3 }) })
  })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.click('role=button[name="Export data"]'),
  ])
  await page.unroute('**/trpc/people.export')
  const file = JSON.parse(await readFile(await download.path(), 'utf8'))
  const whole = await read(`/visitors/${ADA}/export?per_page=1000`)
  expect(asked).toBeGreaterThan(1)
  for (const part of ['sessions', 'hits', 'payments', 'identities', 'visitors']) {
    expect(file[part], part).toEqual(whole[part])
  }
  expect(file).not.toHaveProperty('next_cursor')
})

test('a person: an owner erases a person after a question; others do not see the buttons', {
  tags: ['full'],
}, async () => {
  const { visit, member, site, page, open, read } = all
  await open(`people/${BEN}?${RANGE}`)
  await page.click('role=button[name="Erase"]')
  await page.waitForSelector('role=dialog[name="Erase this person?"]')
  await page.click('role=dialog >> role=button[name="Cancel"]')
  await page.waitForSelector('role=dialog', { state: 'detached' })
  expect((await read('/erasures')).data).toEqual([])
  await page.click('role=button[name="Erase"]')
  await page.click('role=button[name="Erase for good"]')
  await page.waitForSelector('text=The erasure has begun')
  expect((await read('/erasures')).data).toMatchObject([{ person: BEN }])
  await page.click('role=link[name="To the list"]')
  await page.waitForSelector('main table')

  const viewer = await visit.member({ teamId: member.login.teamId, role: 'viewer' })
  await openWhole(viewer.page, `${visit.origin}/sites/${site.domain}/people/${ADA}?${RANGE}`)
  await viewer.page.waitForSelector('h1:has-text("Ada Lovelace")')
  expect(await viewer.page.$('text=Erase')).toBeNull()
  expect(await viewer.page.$('text=Export data')).toBeNull()
  await viewer.context.close()
})

test('a visit: has its facts, and its hits in order with the times between them', async () => {
  const { page, member, open, read } = all
  await open(`people?tab=sessions&${RANGE}`)
  const [{ session_id: id }] = (await read(`/stats/sessions?visitor_id=${ADA}&${RANGE}`)).data
  await page.click(`a[href*="/sessions/${id}"]`)
  await page.waitForSelector('h1:has-text("Visit of Ada Lovelace")')
  const steps = await items()
  expect(steps).toHaveLength((await read(`/stats/sessions/${id}`)).data.length)
  for (const [index, mark] of ['Pricing', '+20s', '+1m 15s'].entries()) expect(steps[index]).toContain(mark)
  const labels = ['Duration', 'Pageviews', 'Source', 'Revenue', 'Place']
  const facts = await Promise.all(labels.map(label => factOn(page, label)))
  expect(facts).toEqual(['1m 35s', '1', 'Google', '$49', 'DEGermany'])
  await expectFit(page)
  expect(member.complaints).toEqual([])
})

test('errors: the list has the groups of the API, with when they were seen', { tags: ['full'] }, async () => {
  const { page, member, open } = all
  await open(`errors?${RANGE}`)
  await page.waitForSelector('main table tbody tr')
  await expect.poll(async () => (await rows()).map(row => row[2])).toEqual(['17 Mar 2026, 12:01'])
  const [row] = await rows()
  expect(row![3]).toBe(row![2])
  expect([row![0], row![4]]).toEqual([expect.stringContaining('is not a function'), '1'])
  await expectFit(page)
  await open('errors?range=today')
  await page.waitForSelector('text=No errors in this period')
  expect(member.complaints).toEqual([])
})

test('errors: the visit of an error is three clicks away from the overview', { tags: ['full'] }, async () => {
  const { page, open, read } = all
  await open(`?${RANGE}`)
  await page.click('nav >> text=Errors')
  await page.click('main table a')
  await page.click('role=link[name="Open visit"]')
  await page.waitForSelector('h1:has-text("Visit of Ada Lovelace")')
  const { data } = await read(`/stats/sessions?visitor_id=${ADA}&${RANGE}`)
  expect(page.url()).toContain(`/sessions/${data[0].session_id}?${RANGE}`)
  await page.click('main ol >> role=link[name="TypeError"]')
  await page.waitForSelector('h1:has-text("is not a function")')
})

test('errors: one error has its numbers, its series, its stack trace in lines, and where it occurs', {
  tags: ['full'],
}, async () => {
  const { page, member, open, read } = all
  const [group] = (await read(`/stats/errors?${RANGE}`)).data
  await open(`errors/${group.id}?${RANGE}`)
  await page.waitForSelector('pre')
  expect(await factOn(page, 'Occurrences')).toBe('1')
  const { series } = await read(`/stats/errors/${group.id}/timeseries?${RANGE}`)
  expect(await seriesOn(page)).toEqual(series.error.map(String))
  const stack = (await page.textContent('pre'))!
  expect(stack.split('\n')).toHaveLength(2)
  expect(stack).toContain('\n    at pay (https://example.com/app.js:12:7)')
  expect(await page.textContent('section[aria-label="Page"] ol')).toContain('/pay')
  await expectFit(page)
  expect(member.complaints).toEqual([])
})

test.each([
  ['people?', 'people'],
  ['people?tab=sessions&', 'sessions'],
  [`people/${ADA}?`, 'person'],
  [`people/${ADA}?`, 'timeline'],
  ['errors?', 'errors'],
])('%s says when stats.%s takes too long, and tries again', { tags: ['full'] }, (path, procedure) =>
  expectTooSlow(all, `${path}range=last_7_days`, procedure, 'main table tbody tr, main ol li'),
)
