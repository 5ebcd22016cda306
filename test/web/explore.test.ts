import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { expectFit } from './audit-page.ts'
import { seededSite, TOO_SLOW } from './seeded-site.ts'
import { tableOn } from './shown.ts'
import { expectTooSlow, siteVisit } from './site-visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const DAY = 86_400_000
const RANGE = 'range=last_30_days'
const HOSTILE = `/<b>\u202e${'x'.repeat(2_000)}`

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

const all = siteVisit({ now: () => NOW, timezone: 'America/New_York', hits: hits() })

beforeEach(async () => {
  const { data } = await all.read('/funnels')
  for (const { id } of data) await all.site.call('DELETE', `/funnels/${id}`)
})

interface StepRow {
  name: string
  count: number
  conversion_rate: number
  step_rate: number
}

/** What the picture of a funnel says of each step. */
const steps = () =>
  all.page.$$eval('ol[style] > li', items =>
    items.map(item => ({
      name: item.querySelector('h3 bdi')!.textContent,
      count: Number.parseInt(item.querySelector('strong')!.textContent.replaceAll(',', ''), 10),
      rates: [...item.querySelectorAll('b')].map(each => each.textContent),
    })),
  )
const expected = (rows: StepRow[]) =>
  rows.map(({ name, count, conversion_rate: all, step_rate: before }, index) => ({
    name,
    count,
    rates: index === 0 ? [] : [`${all}%`, `${before}%`],
  }))

test('funnels: without one, two clicks on pages and one on Save make a funnel, whose numbers are those of the API', async () => {
  const { page, member, open, go, read } = all
  await open(`funnels?${RANGE}`)
  await page.click('role=button[name="Add the step /"]')
  await page.click('text=+ Another kind of step')
  await page.click('role=button[name="Save"]')
  await page.waitForSelector('ol li:nth-child(2) [role=alert] >> text=is required')
  await page.click('role=button[name="Remove step 2"]')
  await page.waitForSelector('text=A funnel has at least two steps')
  await page.click('role=button[name="Add the step /pricing"]')
  await page.click('role=button[name="Save"]')
  await page.waitForSelector('h2:has-text("/ → /pricing")')
  const { data } = await read('/funnels')
  expect(data).toMatchObject([{ name: '/ → /pricing', window: 'session', by: 'visitor', order: 'loose' }])
  for (const query of [RANGE, 'range=last_7_days&channel=Direct&compare=previous']) {
    await go(`funnels?${query}`)
    await page.waitForSelector('ol[style] > li')
    const report = await read(`/stats/funnels/${data[0].id}?${query}`)
    expect(await steps(), query).toEqual(expected(report.steps))
  }
  expect(member.complaints).toEqual([])
})

test('funnels: a funnel is changed, split by a dimension, compared, and deleted after a question', {
  tags: ['full'],
}, async () => {
  const { site, page, open, read } = all
  const steps = ['/', '/pricing'].map(value => ({ type: 'pageview', operator: 'is', value }))
  await site.call('POST', '/funnels', { name: 'Prices', window: 'session', steps })
  await open(`funnels?${RANGE}`)
  await page.click('role=button[name="Edit"]')
  await page.waitForSelector('role=dialog >> role=button[name="Add the step signup"]')
  await page.click('role=dialog >> role=button[name="Add the step signup"]')
  await page.fill('role=dialog >> [name=name]', 'Sign up')
  await page.selectOption('role=dialog >> [name=window]', '86400')
  await page.click('role=dialog >> role=button[name="Save"]')
  await page.waitForSelector('role=dialog', { state: 'detached' })
  await page.waitForSelector('h2 >> text=Sign up')
  await page.waitForSelector('ol[style] > li:nth-child(3)')
  const { data } = await read('/funnels')
  expect(data).toMatchObject([{ name: 'Sign up', window: 86_400 }])
  const added = data[0].steps.map(({ type, value }: Record<string, string>) => `${type} ${value}`)
  expect(added).toEqual(['pageview /', 'pageview /pricing', 'event signup'])

  await page.selectOption('select[aria-label="Break down by"]', 'channel')
  await page.waitForSelector('table[aria-label="By Channel"]')
  const query = `${RANGE}&compare=previous`
  const report = await read(`/stats/funnels/${data[0].id}?dimension=channel&${query}`)
  const rows = await tableOn(page, 'table[aria-label="By Channel"]')
  expect(rows.map(row => row.slice(0, 5))).toEqual(
    report.rows.map(({ value, steps: own }: { value: string; steps: StepRow[] }) => [
      value,
      ...own.map(({ count }) => String(count)),
      `${own.at(-1)!.conversion_rate}%`,
    ]),
  )
  const before = await page.getAttribute('ol[style] > li:first-child small', 'title')
  expect(before).toBe(`before: ${report.previous.steps[0].count}`)

  await page.click('role=button[name="Delete"]')
  await page.waitForSelector('role=dialog >> text=Delete the funnel “Sign up”?')
  await page.click('role=dialog >> role=button[name="Delete"]')
  await page.waitForSelector('text=No funnel yet')
  expect((await read('/funnels')).data).toEqual([])
})

test('funnels: a viewer reads funnels and changes none; one that takes too long says so', {
  tags: ['full'],
}, async () => {
  const { visit, member, site, page, open } = all
  const step = { type: 'pageview', operator: 'is', value: '/' }
  const steps = [step, { ...step, value: HOSTILE, name: 'x'.repeat(255) }]
  await site.call('POST', '/funnels', { name: 'Hostile', steps })
  const reader = await visit.member({ teamId: member.login.teamId, role: 'viewer' })
  await reader.page.goto(`${visit.origin}/sites/${site.domain}/funnels?${RANGE}`)
  await reader.page.waitForSelector('ol[style] > li')
  expect(await reader.page.$('role=button[name="Edit"]')).toBeNull()
  expect(await reader.page.$('text=+ New funnel')).toBeNull()
  await reader.page.route('**/trpc/stats.savedFunnel', route => route.fulfill(TOO_SLOW))
  await reader.page.reload()
  await reader.page.waitForSelector('text=Try a shorter range')
  expect(reader.complaints).toEqual([])
  await reader.context.close()
  await open(`funnels?${RANGE}&dimension=channel`)
  await page.waitForSelector('table[aria-label="By Channel"]')
  await expectFit(page)
})

interface Node {
  kind: string
  value: string | null
  sessions: number
}

/** Names and numbers of all nodes, as the list for screen readers has them. */
const nodes = () =>
  all.page.$$eval('section[aria-label="Journeys, as a list"] > ol > li > ul > li', items =>
    items.map(item => item.querySelector('bdi')!.textContent),
  )
const nameOf = ({ kind, value }: Node, direction: 'from' | 'to') => {
  if (value === HOSTILE) return HOSTILE.replace('\u202e', '\ufffd')
  return value ?? (kind === 'other' ? 'Others' : direction === 'from' ? 'Visit ended' : 'Visit began')
}
const percent = (share: number) =>
  new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 }).format(share)

test('journeys: each step has the values and sessions of the API, from a page, to it, and of events', async () => {
  const { page, member, open, go, read } = all
  const event = 'signup&by=event_name&channel=Direct'
  await open(`journeys?${RANGE}`)
  for (const [query, parameters, direction] of [
    ['value=/', 'starting_at=/', 'from'],
    ['value=/pricing&direction=to&steps=2', 'ending_at=/pricing&steps=2', 'to'],
    [`value=${event}`, `starting_at=${event}`, 'from'],
  ] as const) {
    await go(`journeys?${RANGE}&${query}`)
    await page.waitForSelector('section[aria-label="Journeys, as a list"]', { state: 'attached' })
    const answer: { steps: { nodes: Node[]; links: unknown[]; sessions: number }[] } = await read(
      `/stats/journeys?${RANGE}&${parameters}`,
    )
    const [first] = answer.steps
    expect(await nodes(), query).toEqual(
      answer.steps.flatMap(step =>
        step.nodes.map(node => {
          const visits = node.sessions === 1 ? 'visit' : 'visits'
          const share = percent(node.sessions / first!.sessions)
          return `${nameOf(node, direction)}: ${node.sessions} ${visits}, ${share}`
        }),
      ),
    )
    const links = answer.steps.flatMap(step => step.links)
    expect(await page.locator('main svg path').count(), query).toBe(links.length)
  }
  expect(member.complaints).toEqual([])
})

test('journeys: a click on a value follows it, Back returns, and the search finds others', {
  tags: ['full'],
}, async () => {
  const { page, open } = all
  await open(`journeys?${RANGE}`)
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

test('journeys: long and hostile values stay in their column; too slow and empty are said', {
  tags: ['full'],
}, async () => {
  const { page, open } = all
  await open(`journeys?${RANGE}&value=/`)
  await page.waitForSelector('main svg path')
  expect(await page.$('main b')).toBeNull()
  await expectFit(page)
  await open(`journeys?${RANGE}&value=/nowhere`)
  await page.waitForSelector('text=No visit with this value')
  await expectTooSlow(all, `journeys?${RANGE}&value=/`, 'journeys', 'main svg path')
})

interface Cohort {
  size: number
  periods: { value: number; rate: number }[]
}

const TABLE = 'section[aria-label=Retention] table'

test('retention: sizes and cells are those of the API, in percent and in numbers; too slow is said', async () => {
  const { page, member, open, go, read } = all
  await open(`retention?${RANGE}`)
  for (const [query, show] of [
    [`${RANGE}&period=week`, 'rate'],
    ['from=2026-03-01&to=2026-03-14&period=day&channel=Organic Search', 'value'],
  ] as const) {
    await go(`retention?${query}&show=${show}`)
    await page.waitForSelector(TABLE)
    const { available, cohorts }: { available: boolean; cohorts: Cohort[] } = await read(
      `/stats/retention?${query}`,
    )
    expect(available).toBe(true)
    // The size and the cells of each row, without those that no period has reached.
    const shown = await page.$$eval(`${TABLE} tbody tr`, trs =>
      trs
        .slice(1)
        .map(tr => [...tr.querySelectorAll('td')].map(td => td.textContent).filter(text => text !== '')),
    )
    // Cohorts before the first visitor are left out.
    expect(shown, query).toEqual(
      cohorts.slice(cohorts.findIndex(({ size }) => size > 0)).map(({ size, periods }) => {
        const cells = periods.map(cell => (show === 'rate' ? `${cell.rate}%` : String(cell.value)))
        return [String(size), ...(size === 0 ? [] : cells)]
      }),
    )
  }
  await expectFit(page)
  expect(member.complaints).toEqual([])
  await expectTooSlow(all, `retention?${RANGE}`, 'retention', TABLE)
})

test('retention: cohorts of payments count payers or MRR, those of a goal need one', {
  tags: ['full'],
}, async () => {
  const { site, page, open } = all
  await site.call('POST', '/payments', {
    ...{ amount: 900, currency: 'USD', transaction_id: randomUUID(), customer_id: 'c-1' },
    timestamp: '2026-02-20T12:00:00Z',
  })
  await open(`retention?${RANGE}`)
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
  await page.waitForSelector(TABLE)
  expect(new URL(page.url()).searchParams.get('measure')).toBeNull()
})

test('retention: where visitors are not recognized, the page says why, and shows payments instead', {
  tags: ['full'],
}, async () => {
  const { visit, member, page, open } = all
  const other = await seededSite(visit, member)
  // An id that the service makes for one day.
  await other.store([{ at: NOW.getTime() - DAY, visitor: '01234567-89ab-8cde-8f01-23456789abcd' }])
  await open(`retention?${RANGE}`, other)
  await page.waitForSelector('text=Returns cannot be counted here')
  await expectFit(page)
  await page.click('role=button[name="Show payments"]')
  await page.waitForURL('**cohort=payment*')
  await page.waitForSelector('text=Nothing in this period')
})
