import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, sticksOut } from './audit-page.ts'
import { type SeededHit, type SeededSite, seededSite, TOO_SLOW } from './seeded-site.ts'
import { type Member, startVisit, type Visit } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const DAY = 86_400_000
const RANGE = 'range=last_30_days'
const [ADA, BEN, EVE] = [randomUUID(), randomUUID(), randomUUID()]
/** An identifier with everything that a path could misread. */
const USER = 'ada/50%25 ?#<b>'
const LONG = 'x'.repeat(2_000)
const HOSTILE = `<img src=x onerror="alert(1)">\u202e${LONG}`
const MESSAGE = `${HOSTILE.slice(0, 1_000)} is not a function`

let visit: Visit
let member: Member
let site: SeededSite
let signup: string

beforeAll(async () => {
  visit = await startVisit({ now: () => NOW })
  member = await visit.member()
  site = await seededSite(visit, member, 'Asia/Tokyo')
  await site.store(hits())
  signup = (await site.call('POST', '/goals', { match_type: 'event', match_value: 'signup' })).body.id
  const paid = { amount: 4900, currency: 'USD', visitor_id: ADA, timestamp: '2026-03-17T03:05:00Z' }
  await site.call('POST', '/payments', { ...paid, transaction_id: 'sale-1' })
})
afterAll(() => visit.close())

/** Ada comes twice, signs up and meets an error; Ben comes today; everything that Eve sends is hostile. */
function hits(): SeededHit[] {
  const yesterday = Date.parse('2026-03-17T03:00:00Z')
  const error = {
    name: 'TypeError',
    message: MESSAGE,
    stack: `TypeError: ${MESSAGE}\n    at pay (https://example.com/app.js:12:7)`,
    fileName: 'https://example.com/app.js',
    lineNumber: '12',
    columnNumber: '7',
  }
  const from = { country: 'DE', source: 'Google', channel: 'Organic Search', browserName: 'Firefox' }
  const of = (visitor: string, at: number, fields: SeededHit['fields'], dimensions = {}): SeededHit => ({
    visitor,
    at,
    fields: fields!,
    dimensions,
  })
  return [
    of(ADA, yesterday - 3 * DAY, { url: '/', title: 'Home' }, from),
    of(ADA, yesterday, { url: '/pricing', title: 'Pricing' }, from),
    of(ADA, yesterday + 20_000, { type: 'event', name: 'signup', url: '/pricing', props: { plan: 'pro' } }),
    of(ADA, yesterday + 30_000, {
      type: 'identify',
      identity: { identifier: USER, name: 'Ada Lovelace', custom: { company: 'Engines' } },
    }),
    of(ADA, yesterday + 95_000, { type: 'error', name: 'TypeError', url: '/pay', error }),
    of(BEN, NOW.getTime() - 60_000, { url: '/docs', title: 'Docs' }, { country: 'JP' }),
    of(
      EVE,
      NOW.getTime() - 50_000,
      { url: `/${LONG}`, title: HOSTILE, referrer: 'javascript:alert(1)' },
      { source: HOSTILE.slice(0, 200) },
    ),
    of(EVE, NOW.getTime() - 40_000, {
      type: 'event',
      name: HOSTILE.slice(0, 120),
      url: '/',
      props: { link: 'javascript:alert(1)', long: LONG.slice(0, 500) },
    }),
    of(EVE, NOW.getTime() - 35_000, {
      type: 'identify',
      identity: { identifier: `eve-${LONG.slice(0, 200)}`, name: HOSTILE.slice(0, 200) },
    }),
  ]
}

const open = (page: Page, path: string) => page.goto(`${visit.origin}/sites/${site.domain}/${path}`)
const read = async (path: string) => (await site.call('GET', path)).body
const cells = (page: Page, column: number) =>
  page.$$eval(
    'main table tbody tr',
    (trs, index) => trs.map(tr => tr.querySelectorAll('td')[index]!.textContent),
    column,
  )

/** Looks at a page as people with screen readers and with phones do. */
async function expectFit(page: Page) {
  expect(await page.$('img[src=x], a[href^="javascript"]')).toBeNull()
  expect(await page.$$eval('h1', all => all.length)).toBe(1)
  expect(await accessibilityProblems(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await sticksOut(page)).toBe(false)
  await page.setViewportSize({ width: 1280, height: 900 })
}

describe('people', () => {
  test('visitors, users and visits are those of the API', async () => {
    const { page, complaints } = member
    for (const [tab, path, first] of [
      ['visitors', '/stats/people?', 'display_name'],
      ['users', '/stats/people?kind=users&', 'display_name'],
      ['sessions', '/stats/sessions?', 'display_name'],
    ] as const) {
      const { data } = await read(`${path}${RANGE}`)
      await open(page, `people?tab=${tab}&${RANGE}`)
      await page.waitForSelector('main table tbody tr')
      const shown = (await cells(page, 0)).map(name => name!.slice(0, 12))
      const names = data.map((row: Record<string, string>) => row[first]!.slice(0, 12))
      expect(shown, tab).toEqual(names)
      await expectFit(page)
    }
    expect(complaints).toEqual([])
  })

  test('who converted yesterday is three clicks away from the overview', async () => {
    const { page } = member
    await page.goto(`${visit.origin}/sites/${site.domain}?${RANGE}`)
    await page.click('nav >> text=People')
    await page.click('role=button[name="signup"]')
    await page.click('role=button[name="Yesterday"]')
    await page.waitForURL(url => url.searchParams.get('range') === 'yesterday')
    expect(new URL(page.url()).searchParams.getAll('goal')).toEqual([signup])
    await expect.poll(() => cells(page, 0)).toEqual(['Ada Lovelace'])
    await page.click('role=button[name="signup"]')
    await page.waitForURL(url => !url.searchParams.has('goal'))
  })

  test('users are found by a part of their name, and sorted by their visits', async () => {
    const { page } = member
    await open(page, `people?tab=users&${RANGE}`)
    await page.fill('role=searchbox', 'LOVE')
    await expect.poll(() => cells(page, 0)).toEqual(['Ada Lovelace'])
    await page.click('role=button[name="Visits"]')
    await page.waitForSelector('th[aria-sort=descending] >> text=Visits')
    await page.fill('role=searchbox', 'no such user')
    await page.waitForSelector('text=No such users in this period')
  })
})

describe('a person', () => {
  test('has a profile, numbers and a timeline by day, as the API has them', async () => {
    const { page, complaints } = member
    await open(page, `people?tab=users&${RANGE}`)
    await page.click('text=Ada Lovelace')
    await page.waitForSelector('h1:has-text("Ada Lovelace")')
    await page.waitForSelector('main ol li')
    const person = await read(`/stats/people/${ADA}?${RANGE}`)
    expect(await page.textContent('header code')).toBe(USER)
    const figure = (label: string) => page.textContent(`dt:text-is("${label}") + dd`)
    expect(await figure('Visits')).toBe('1')
    expect(person.sessions).toBe(2)
    expect(await figure('Revenue')).toBe('$49')
    const { data } = await read(`/stats/people/${encodeURIComponent(USER)}/timeline?${RANGE}`)
    const items = await page.$$eval('main ol li', all => all.map(item => item.textContent!))
    expect(items).toHaveLength(data.length)
    const kinds = data.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(['payment', 'event', 'identity', 'event', 'session'])
    const marks = ['+$49', 'TypeError', 'Identified as', 'planpro', '/pricing']
    for (const [index, mark] of marks.entries()) expect(items[index], mark).toContain(mark)
    // Noon in Tokyo.
    expect(items.at(-1)).toContain('12:00:00')
    expect(await page.textContent('main section section h3')).toBe('Tuesday, 17 March 2026')
    expect(await page.textContent('main')).toContain('Engines')
    await expectFit(page)
    expect(complaints).toEqual([])
  })

  test('the other names of a person lead to their pages', async () => {
    const { page } = member
    await open(page, `people/${ADA}?${RANGE}`)
    await page.click(`main >> role=link[name="${USER}"]`)
    await page.waitForSelector('dt:text-is("Visits") + dd:text-is("1")')
    expect(await page.textContent('header code')).toBe(USER)
  })

  test('without visits in the period there is a way to all of them', async () => {
    const { page } = member
    await open(page, `people/${ADA}?range=today`)
    await page.click('role=button[name="Show all time"]')
    await page.waitForSelector('main ol li')
    expect(new URL(page.url()).searchParams.get('range')).toBe('all')
    await open(page, `people/${randomUUID()}?${RANGE}`)
    await page.waitForSelector('[role=alert]')
  })

  test('an owner saves everything that is stored about the person', async () => {
    const { page } = member
    await open(page, `people/${ADA}?${RANGE}`)
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

  test('an owner erases a person after a question; others do not see the buttons', async () => {
    const { page } = member
    await open(page, `people/${BEN}?${RANGE}`)
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
    await open(viewer.page, `people/${ADA}?${RANGE}`)
    await viewer.page.waitForSelector('h1:has-text("Ada Lovelace")')
    expect(await viewer.page.$('text=Erase')).toBeNull()
    expect(await viewer.page.$('text=Export data')).toBeNull()
    await viewer.context.close()
  })
})

describe('a visit', () => {
  test('has its facts, and its hits in order with the times between them', async () => {
    const { page, complaints } = member
    await open(page, `people?tab=sessions&${RANGE}`)
    const { data } = await read(`/stats/sessions?visitor_id=${ADA}&${RANGE}`)
    await page.click(`a[href*="/sessions/${data[0].session_id}"]`)
    await page.waitForSelector('h1:has-text("Visit of Ada Lovelace")')
    const session = await read(`/stats/sessions/${data[0].session_id}`)
    const steps = await page.$$eval('main ol li', all => all.map(item => item.textContent!))
    expect(steps).toHaveLength(session.data.length)
    expect(steps[0]).toContain('Pricing')
    expect(steps[1]).toContain('+20s')
    expect(steps[2]).toContain('+1m 15s')
    const fact = (label: string) => page.textContent(`dt:text-is("${label}") + dd`)
    expect(await fact('Duration')).toBe('1m 35s')
    expect(await fact('Source')).toBe('Google')
    expect(await fact('Revenue')).toBe('$49')
    expect(await fact('Place')).toBe('DEGermany')
    await expectFit(page)
    expect(complaints).toEqual([])
  })

  test('with hostile texts is text alone, in its place', async () => {
    const { page, complaints } = member
    const [session] = (await read(`/stats/sessions?visitor_id=${EVE}&${RANGE}`)).data
    await open(page, `sessions/${session.session_id}`)
    await page.waitForSelector('main ol li')
    expect(await page.textContent('main')).not.toContain('\u202e')
    await expectFit(page)
    await open(page, `people/${EVE}?${RANGE}`)
    await page.waitForSelector('main ol li')
    await expectFit(page)
    expect(complaints).toEqual([])
  })
})

describe('errors', () => {
  test('the list has the groups of the API, with when they were seen', async () => {
    const { page, complaints } = member
    await open(page, `errors?${RANGE}`)
    await page.waitForSelector('main table tbody tr')
    expect((await cells(page, 0))[0]).toContain('is not a function')
    await expect.poll(async () => (await cells(page, 2))[0]).toBe('17 Mar')
    expect(await cells(page, 4)).toEqual(['1'])
    await expectFit(page)
    await open(page, 'errors?range=today')
    await page.waitForSelector('text=No errors in this period')
    expect(complaints).toEqual([])
  })

  test('the visit of an error is three clicks away from the overview', async () => {
    const { page } = member
    await page.goto(`${visit.origin}/sites/${site.domain}?${RANGE}`)
    await page.click('nav >> text=Errors')
    await page.click('main table a')
    await page.click('role=link[name="Open visit"]')
    await page.waitForSelector('h1:has-text("Visit of Ada Lovelace")')
    const { data } = await read(`/stats/sessions?visitor_id=${ADA}&${RANGE}`)
    expect(page.url()).toContain(`/sessions/${data[0].session_id}?${RANGE}`)
    await page.click('main ol >> role=link[name="TypeError"]')
    await page.waitForSelector('h1:has-text("is not a function")')
  })

  test('one error has its numbers, its series, its stack trace in lines, and where it occurs', async () => {
    const { page, complaints } = member
    const [group] = (await read(`/stats/errors?${RANGE}`)).data
    await open(page, `errors/${group.id}?${RANGE}`)
    await page.waitForSelector('pre')
    expect(await page.textContent('dt:text-is("Occurrences") + dd')).toBe('1')
    const series = await read(`/stats/errors/${group.id}/timeseries?${RANGE}`)
    expect(await page.$$eval('figure table tbody td', all => all.map(cell => cell.textContent))).toEqual(
      series.series.error.map(String),
    )
    const stack = (await page.textContent('pre'))!
    expect(stack.split('\n')).toHaveLength(2)
    expect(stack).toContain('\n    at pay (https://example.com/app.js:12:7)')
    expect(await page.textContent('section[aria-label="Page"] ol')).toContain('/pay')
    await expectFit(page)
    expect(complaints).toEqual([])
  })
})

describe('what takes too long', () => {
  test.each([
    ['people', 'people'],
    ['people?tab=sessions', 'sessions'],
    [`people/${ADA}`, 'person'],
    [`people/${ADA}`, 'timeline'],
    ['errors', 'errors'],
  ])('%s says so for stats.%s, and tries again', async (path, procedure) => {
    const { page } = member
    const pattern = `**/trpc/stats.${procedure}`
    await page.route(pattern, route => route.fulfill(TOO_SLOW))
    await open(page, `${path}${path.includes('?') ? '&' : '?'}range=last_7_days`)
    await page.waitForSelector('text=Try a shorter range or fewer filters')
    await page.unroute(pattern)
    await page.click('role=button[name="Try again"]')
    await page.waitForSelector('text=Try a shorter range', { state: 'detached' })
    await page.waitForSelector('main table tbody tr, main ol li')
  })
})
