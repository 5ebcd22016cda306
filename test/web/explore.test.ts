import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, sticksOut } from './audit-page.ts'
import { type SeededSite, seededSite, TOO_SLOW } from './seeded-site.ts'
import { type Member, startVisit, type Visit } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const DAY = 86_400_000
const HOSTILE = `/<b>\u202e${'x'.repeat(2_000)}`

let visit: Visit
let member: Member
let site: SeededSite

beforeAll(async () => {
  visit = await startVisit({ now: () => NOW })
  member = await visit.member()
  site = await seededSite(visit, member, 'America/New_York')
  await site.store(hits())
})
afterAll(() => visit.close())

/** Thirty visitors: all see the start, two thirds the prices, a third also signs up; some come back a week later. */
function hits() {
  return Array.from({ length: 30 }, (_, index) => {
    const visitor = randomUUID()
    const at = NOW.getTime() - (3 + (index % 14)) * DAY - index * 60_000
    const dimensions = index % 2 === 0 ? { channel: 'Organic Search' } : { channel: 'Direct' }
    const hit = (seconds: number, fields: object) => ({
      at: at + seconds * 1000,
      visitor,
      fields,
      dimensions,
    })
    return [
      hit(0, { url: '/' }),
      ...(index % 3 > 0 ? [hit(20 + index, { url: '/pricing' })] : [hit(10, { url: HOSTILE })]),
      ...(index % 3 > 1 ? [hit(90, { type: 'event', name: 'signup' }), hit(95, { url: '/welcome' })] : []),
      ...(index % 14 >= 7 && index % 2 === 0 ? [hit(7 * 86_400, { url: '/docs' })] : []),
    ]
  }).flat()
}

const open = (page: Page, path: string, query = 'range=last_30_days') =>
  page.goto(`${visit.origin}/sites/${site.domain}/${path}?${query}`)

interface StepRow {
  name: string
  count: number
  conversion_rate: number
  step_rate: number
  drop_off: number
}

/** What the picture of a funnel says of each step. */
const steps = (page: Page) =>
  page.$$eval('ol[style] > li', items =>
    items.map(item => ({
      name: item.querySelector('h3 bdi')!.textContent,
      count: Number.parseInt(item.querySelector('strong')!.textContent!.replaceAll(',', ''), 10),
      rates: [...item.querySelectorAll('b')].map(each => each.textContent),
    })),
  )
const expected = (rows: StepRow[]) =>
  rows.map(({ name, count, conversion_rate: all, step_rate: before }, index) => ({
    name,
    count,
    rates: index === 0 ? [] : [`${all}%`, `${before}%`],
  }))

describe('funnels', () => {
  test('without one, two clicks on pages and one on Save make a funnel, whose numbers are those of the API', async () => {
    const { page, complaints } = member
    await open(page, 'funnels')
    await page.click('role=button[name="Add the step /"]')
    await page.click('role=button[name="Add the step /pricing"]')
    await page.click('role=button[name="Save"]')
    await page.waitForSelector('h2:has-text("/ → /pricing")')
    const { data } = (await site.call('GET', '/funnels')).body
    expect(data).toMatchObject([{ name: '/ → /pricing', window: 'session', by: 'visitor', order: 'loose' }])
    for (const query of ['range=last_30_days', 'range=last_7_days&channel=Direct&compare=previous']) {
      await open(page, 'funnels', query)
      await page.waitForSelector('ol[style] > li')
      const report = (await site.call('GET', `/stats/funnels/${data[0].id}?${query}`)).body
      expect(await steps(page), query).toEqual(expected(report.steps))
    }
    expect(complaints).toEqual([])
  })

  test('a funnel is changed, split by a dimension, compared, and deleted after a question', async () => {
    const { page } = member
    await open(page, 'funnels')
    await page.click('role=button[name="Edit"]')
    await page.waitForSelector('role=dialog >> role=button[name="Add the step signup"]')
    await page.click('role=dialog >> role=button[name="Add the step signup"]')
    await page.fill('role=dialog >> [name=name]', 'Sign up')
    await page.selectOption('role=dialog >> [name=window]', '86400')
    await page.click('role=dialog >> role=button[name="Save"]')
    await page.waitForSelector('role=dialog', { state: 'detached' })
    await page.waitForSelector('h2 >> text=Sign up')
    await page.waitForSelector('ol[style] > li:nth-child(3)')
    const { data } = (await site.call('GET', '/funnels')).body
    expect(data).toMatchObject([{ name: 'Sign up', window: 86_400 }])
    expect(data[0].steps.map(({ type, value }: Record<string, string>) => [type, value])).toEqual([
      ['pageview', '/'],
      ['pageview', '/pricing'],
      ['event', 'signup'],
    ])

    await page.selectOption('select[aria-label="Break down by"]', 'channel')
    await page.waitForSelector('table[aria-label="By Channel"]')
    const query = 'range=last_30_days&compare=previous'
    const report = (await site.call('GET', `/stats/funnels/${data[0].id}?dimension=channel&${query}`)).body
    const rows = await page.$$eval('table[aria-label="By Channel"] tbody tr', trs =>
      trs.map(tr => [...tr.querySelectorAll('td')].slice(0, 5).map(td => td.textContent)),
    )
    expect(rows).toEqual(
      report.rows.map(({ value, steps: own }: { value: string; steps: StepRow[] }) => [
        value,
        ...own.map(({ count }) => String(count)),
        `${own.at(-1)!.conversion_rate}%`,
      ]),
    )
    expect(await page.getAttribute('ol[style] > li:first-child small', 'title')).toBe(
      `before: ${report.previous.steps[0].count}`,
    )

    await page.click('role=button[name="Delete"]')
    await page.waitForSelector('role=dialog >> text=Delete the funnel “Sign up”?')
    await page.click('role=dialog >> role=button[name="Delete"]')
    await page.waitForSelector('text=No funnel yet')
    expect((await site.call('GET', '/funnels')).body.data).toEqual([])
  })

  test('what is wrong with a step stands at the step', async () => {
    const { page } = member
    await open(page, 'funnels')
    await page.click('role=button[name="Add the step /"]')
    await page.click('text=+ Another kind of step')
    await page.click('role=button[name="Save"]')
    await page.waitForSelector('ol li:nth-child(2) [role=alert] >> text=is required')
    await page.click('role=button[name="Remove step 2"]')
    await page.waitForSelector('text=A funnel has at least two steps')
  })

  test('a viewer reads funnels and changes none; one that takes too long says so', async () => {
    const body = {
      name: 'Hostile',
      steps: [
        { type: 'pageview', operator: 'is', value: '/' },
        { type: 'pageview', operator: 'is', value: HOSTILE, name: 'x'.repeat(255) },
      ],
    }
    const { id } = (await site.call('POST', '/funnels', body)).body
    const reader = await visit.member({ teamId: member.login.teamId, role: 'viewer' })
    const { page } = reader
    await open(page, 'funnels')
    await page.waitForSelector('ol[style] > li')
    expect(await page.$('role=button[name="Edit"]')).toBeNull()
    expect(await page.$('text=+ New funnel')).toBeNull()
    await page.route('**/trpc/stats.savedFunnel', route => route.fulfill(TOO_SLOW))
    await page.reload()
    await page.waitForSelector('text=Try a shorter range')
    expect(reader.complaints).toEqual([])
    await reader.context.close()
    await member.page.setViewportSize({ width: 360, height: 800 })
    await open(member.page, 'funnels', 'range=last_30_days&dimension=channel')
    await member.page.waitForSelector('table[aria-label="By Channel"]')
    await expect.poll(() => sticksOut(member.page)).toBe(false)
    expect(await accessibilityProblems(member.page)).toEqual([])
    await member.page.setViewportSize({ width: 1280, height: 900 })
    await site.call('DELETE', `/funnels/${id}`)
  })
})

interface Node {
  kind: string
  value: string | null
  sessions: number
}

/** Names and numbers of all nodes, as the list for screen readers has them. */
const nodes = (page: Page) =>
  page.$$eval('section[aria-label="Journeys, as a list"] > ol > li > ul > li', items =>
    items.map(item => item.querySelector('bdi')!.textContent!),
  )
const SHOWN_HOSTILE = HOSTILE.replace('\u202e', '\ufffd')
const nameOf = ({ kind, value }: Node, direction: 'from' | 'to') => {
  if (value === HOSTILE) return SHOWN_HOSTILE
  return value ?? (kind === 'other' ? 'Others' : direction === 'from' ? 'Visit ended' : 'Visit began')
}
const percent = (share: number) =>
  new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 }).format(share)

describe('journeys', () => {
  test('each step has the values and sessions of the API, from a page, to it, and of events', async () => {
    const { page, complaints } = member
    for (const [query, parameters, direction] of [
      ['value=/', 'starting_at=/', 'from'],
      ['value=/pricing&direction=to&steps=2', 'ending_at=/pricing&steps=2', 'to'],
      [
        'value=signup&by=event_name&channel=Direct',
        'starting_at=signup&by=event_name&channel=Direct',
        'from',
      ],
    ] as const) {
      await open(page, 'journeys', `range=last_30_days&${query}`)
      await page.waitForSelector('section[aria-label="Journeys, as a list"]', { state: 'attached' })
      const answer = (await site.call('GET', `/stats/journeys?range=last_30_days&${parameters}`)).body
      const [first] = answer.steps
      expect(await nodes(page), query).toEqual(
        answer.steps.flatMap((step: { nodes: Node[] }) =>
          step.nodes.map(
            node =>
              `${nameOf(node, direction)}: ${node.sessions} ${node.sessions === 1 ? 'visit' : 'visits'}, ${percent(node.sessions / first.sessions)}`,
          ),
        ),
      )
      const links = answer.steps.reduce(
        (sum: number, step: { links: unknown[] }) => sum + step.links.length,
        0,
      )
      expect(await page.locator('main svg path').count(), query).toBe(links)
    }
    expect(complaints).toEqual([])
  })

  test('a click on a value follows it, Back returns, and the search finds others', async () => {
    const { page } = member
    await open(page, 'journeys')
    await page.click('main button[title^="/pricing:"] >> nth=0')
    await page.waitForURL('**value=/pricing*')
    await page.waitForSelector('main button:has-text("/pricing ▾"), main button:has-text("/pricing▾")')
    await page.goBack()
    await page.waitForURL(url => !url.searchParams.has('value'))
    await page.click('section[aria-label=Journeys] button:has-text("▾")')
    await page.fill('[aria-label=Search]', 'welc')
    await page.click('role=dialog >> role=button[name=/welcome/]')
    await page.waitForURL('**value=/welcome*')
  })

  test('long and hostile values stay in their column; too slow and empty are said', async () => {
    const { page } = member
    await open(page, 'journeys', 'range=last_30_days&value=/')
    await page.waitForSelector('main svg path')
    expect(await page.$('main b')).toBeNull()
    await expect.poll(() => sticksOut(page)).toBe(false)
    expect(await accessibilityProblems(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 800 })
    await expect.poll(() => sticksOut(page)).toBe(false)
    await page.setViewportSize({ width: 1280, height: 900 })
    await open(page, 'journeys', 'range=last_30_days&value=/nowhere')
    await page.waitForSelector('text=No visit with this value')
    await page.route('**/trpc/stats.journeys', route => route.fulfill(TOO_SLOW))
    await open(page, 'journeys', 'range=last_30_days&value=/docs')
    await page.waitForSelector('text=Try a shorter range')
    await page.unroute('**/trpc/stats.journeys')
  })
})

/** Rows of the table: name, size and cells. */
const cohorts = (page: Page) =>
  page.$$eval('section[aria-label=Retention] table tbody tr', trs =>
    trs
      .slice(1)
      .map(tr => [...tr.querySelectorAll('td')].map(td => td.textContent).filter(text => text !== '')),
  )

interface Cohort {
  size: number
  base: number
  periods: { value: number; rate: number }[]
}

describe('retention', () => {
  test('sizes and cells are those of the API, in percent and in numbers', async () => {
    const { page, complaints } = member
    for (const [query, show] of [
      ['range=last_30_days&period=week', 'rate'],
      ['from=2026-03-01&to=2026-03-14&period=day&channel=Organic Search', 'value'],
    ] as const) {
      await open(page, 'retention', `${query}&show=${show}`)
      await page.waitForSelector('section[aria-label=Retention] table')
      const answer = (await site.call('GET', `/stats/retention?${query}`)).body
      expect(answer.available).toBe(true)
      // Cohorts before the first visitor are left out.
      const all = answer.cohorts as Cohort[]
      const shown = all.slice(all.findIndex(({ size }) => size > 0))
      expect(await cohorts(page), query).toEqual(
        shown.map(({ size, periods }) => [
          String(size),
          ...(size === 0
            ? []
            : periods.map(cell => (show === 'rate' ? `${cell.rate}%` : String(cell.value)))),
        ]),
      )
    }
    expect(complaints).toEqual([])
  })

  test('cohorts of payments count payers or MRR, those of a goal need one', async () => {
    const { page } = member
    await site.call('POST', '/payments', {
      amount: 900,
      currency: 'USD',
      transaction_id: randomUUID(),
      customer_id: 'c-1',
      timestamp: '2026-02-20T12:00:00Z',
    })
    await open(page, 'retention')
    await page.selectOption('select[aria-label="Began with"]', 'payment')
    await page.waitForSelector('role=columnheader[name="Customers"]')
    await page.selectOption('select[aria-label=Counts]', 'mrr')
    await page.waitForSelector('role=columnheader[name="MRR"]')
    expect(new URL(page.url()).searchParams.get('measure')).toBe('mrr')
    await page.selectOption('select[aria-label="Began with"]', 'goal')
    await page.waitForSelector('text=There is no goal yet')
    const goal = { match_type: 'event', match_value: 'signup' }
    expect((await site.call('POST', '/goals', goal)).status).toBe(201)
    await page.reload()
    await page.waitForSelector('section[aria-label=Retention] table')
    expect(new URL(page.url()).searchParams.get('measure')).toBeNull()
  })

  test('where visitors are not recognized, the page says why, and shows payments instead', async () => {
    const other = await seededSite(visit, member)
    // An id that the service makes for one day.
    await other.store([{ at: NOW.getTime() - DAY, visitor: '01234567-89ab-8cde-8f01-23456789abcd' }])
    const { page } = member
    await page.goto(`${visit.origin}/sites/${other.domain}/retention?range=last_30_days`)
    await page.waitForSelector('text=Returns cannot be counted here')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.click('role=button[name="Show payments"]')
    await page.waitForURL('**cohort=payment*')
    await page.waitForSelector('text=Nothing in this period')
  })

  test('is accessible in both themes, fits a phone, and says when it takes too long', async () => {
    const { page } = member
    await open(page, 'retention', 'range=last_30_days&cohort=first_visit')
    await page.waitForSelector('section[aria-label=Retention] table')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 800 })
    await expect.poll(() => sticksOut(page)).toBe(false)
    await page.route('**/trpc/stats.retention', route => route.fulfill(TOO_SLOW))
    await page.reload()
    await page.waitForSelector('text=Try a shorter range')
    await page.unroute('**/trpc/stats.retention')
  })
})
