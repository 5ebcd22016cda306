import { randomUUID } from 'node:crypto'
import type { Response } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { deliver, event, invoice, item, price, SECRET, subscription } from '../support/stripe.ts'
import { accessibilityProblems, expectFit } from './audit-page.ts'
import { type SeededSite, seededSite } from './seeded-site.ts'
import { chartOn, figuresOn, seriesOn, tableOn } from './shown.ts'
import { expectTooSlow, siteVisit } from './site-visit.ts'
import { openWhole } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const RANGE = 'range=last_30_days'
const seconds = (day: string) => Date.parse(`${day}T12:00:00Z`) / 1000
const [ADA, BEN] = [randomUUID(), randomUUID()]
const SEARCH = { channel: 'Organic Search', source: 'Google', country: 'DE' }
const hits = [
  { at: NOW.getTime() - 9 * 86_400_000, visitor: ADA, dimensions: SEARCH },
  { at: NOW.getTime() - 8 * 86_400_000, visitor: BEN, dimensions: { channel: 'Direct', country: 'JP' } },
  { at: NOW.getTime() - 7 * 86_400_000, visitor: randomUUID(), dimensions: { channel: 'Referral' } },
]

/** With subscriptions, in dollars. */
const all = siteVisit({ now: () => NOW, hits })
/** With payments alone, in yen, in Tokyo. */
let stall: SeededSite

beforeAll(async () => {
  const { visit, member, site } = all
  stall = await seededSite(visit, member, 'Asia/Tokyo')
  await stall.store(hits)
  const connection = { provider: 'stripe', webhook_secret: SECRET }
  expect((await site.call('PUT', '/processor', connection)).status).toBe(200)
  await fillShop()
  expect((await stall.call('PATCH', '/currency', { currency: 'JPY' })).status).toBe(200)
  for (const payment of [
    // On the day before in UTC.
    { amount: 1200, timestamp: '2026-03-09T15:30:00Z', visitor_id: ADA, customer_id: 'c-1' },
    { amount: 800, timestamp: '2026-03-12T03:00:00Z', visitor_id: BEN, customer_id: 'c-2' },
    { amount: 5000, timestamp: '2026-02-01T03:00:00Z', customer_id: 'c-3' },
  ]) {
    const body = { currency: 'JPY', transaction_id: randomUUID(), ...payment }
    expect((await stall.call('POST', '/payments', body)).status).toBe(201)
  }
})

/** A change of each kind in the last 30 days: new, expansion, contraction, churn and reactivation. */
async function fillShop() {
  const plan = (customer: string, amount: number, more = {}) =>
    subscription({
      id: `sub_${customer}`,
      customer: `cus_${customer}`,
      items: [item(price(amount))],
      ...more,
    })
  const steps: [string, ReturnType<typeof plan>, string][] = [
    ['created', plan('ada', 2_000, { metadata: { visitor_id: ADA } }), '2026-03-10'],
    ['updated', plan('ada', 3_550, { metadata: { visitor_id: ADA } }), '2026-03-13'],
    ['created', plan('ben', 1_000, { metadata: { visitor_id: BEN } }), '2026-03-11'],
    ['created', plan('old', 9_000), '2026-01-05'],
    ['updated', plan('old', 7_000), '2026-03-01'],
    ['created', plan('gone', 4_000), '2026-01-06'],
    ['deleted', plan('gone', 4_000, { status: 'canceled', ended_at: seconds('2026-03-04') }), '2026-03-04'],
    ['created', plan('back', 500), '2026-01-07'],
    ['updated', plan('back', 500, { status: 'paused' }), '2026-01-20'],
    ['updated', plan('back', 600), '2026-03-06'],
  ]
  const send = async (kind: string, object: Parameters<typeof event>[1], day: string) => {
    const sent = event(kind, object, seconds(day))
    const signedAt = NOW.getTime() / 1000
    const { status } = await deliver({ api: all.visit.api, siteId: all.site.id }, sent, { signedAt })
    expect(status).toBe(200)
  }
  for (const [what, object, day] of steps) await send(`customer.subscription.${what}`, object, day)
  for (const [customer, name, day] of [
    ['ada', 'Ada Lovelace', '2026-03-10'],
    ['ben', 'Ben', '2026-03-11'],
    ['old', 'Old & Partners', '2026-01-05'],
  ] as const) {
    const named = { customer_name: name, customer_email: `${customer}@example.com` }
    const of = { subscription: `sub_${customer}`, customer: `cus_${customer}` }
    await send('invoice.paid', invoice({ ...of, ...named, amount_paid: 2_000, paidAt: seconds(day) }), day)
  }
}

/** The exact values of the figures by their names. */
const exactFigures = async () =>
  Object.fromEntries(Object.entries(await figuresOn(all.page)).map(([name, forms]) => [name, forms[1]]))

const amount = (minor: number, currency = 'USD') =>
  (currency === 'JPY' ? minor : minor / 100).toLocaleString('en-GB', {
    ...{ style: 'currency', currency, currencyDisplay: 'narrowSymbol' },
  })
const signed = (minor: number) => (minor > 0 ? `+${amount(minor)}` : amount(minor))

const rowsOf = (table: string) => tableOn(all.page, `table[aria-label="${table}"]`)

test('money: figures, waterfall and sources are those of the API, with a comparison and a filter', async () => {
  const { page, member, open, go, read } = all
  await open(`money?${RANGE}`)
  for (const query of [
    RANGE,
    'range=last_7_days&compare=previous_year',
    `${RANGE}&channel=Organic Search`,
    'from=2026-03-01&to=2026-03-06',
  ]) {
    await go(`money?${query}${query.startsWith('from') ? '&compare=none' : ''}`)
    const report = await read(`/stats/money?${query}`)
    const shown = await exactFigures()
    expect(shown['MRR now'] ?? shown['MRR at the end'], query).toBe(amount(report.mrr))
    expect(shown, query).toMatchObject({
      'MRR change': amount(report.net_new_mrr),
      Revenue: amount(report.revenue),
      Customers: String(report.active_customers),
      'New customers': String(report.new_customers),
      'Churned MRR': amount(report.churned_mrr),
      'Lifetime value': report.lifetime_value === null ? 'none' : amount(report.lifetime_value),
    })

    const steps = (await rowsOf('From the first day to the last')).map(row => row.slice(0, 2))
    expect(steps, query).toEqual([
      ['MRR at the start', amount(report.mrr_at_start)],
      ['New', signed(report.new_mrr)],
      ['Reactivation', signed(report.reactivation_mrr)],
      ['Expansion', signed(report.expansion_mrr)],
      ['Contraction', signed(report.contraction_mrr)],
      ['Churn', signed(report.churned_mrr)],
      ['MRR at the end', amount(report.mrr)],
    ])
    const cents = steps.map(([, value]) => Math.round(Number(value!.replace(/[^\d.-]/g, '')) * 100))
    expect(
      cents.slice(0, -1).reduce((sum, each) => sum + each),
      query,
    ).toBe(cents.at(-1))

    await page.waitForSelector('table[aria-label="Where money comes from: Channels"]')
    const { data } = await read(`/stats/money/breakdown?dimension=channel&sort=mrr&${query}`)
    const visited = (await read(`/stats/breakdown?dimension=channel&${query}`)).data
    const sources = await rowsOf('Where money comes from: Channels')
    for (const { value, mrr, revenue, new_customers: fresh } of data) {
      const visitors = visited.find((row: { value: string }) => row.value === value)?.visitors ?? 0
      const name = value === '(none)' ? 'Without a known visit' : value
      const row = sources.find(([shown]) => shown === name)
      expect(row?.slice(1, 3), `${query} ${value}`).toEqual([String(visitors), String(fresh)])
      const exact = await page.$$eval(
        `table[aria-label^="Where money"] tr:has(button[aria-label="Filter by ${name}"]) td span[title]`,
        spans => spans.map(span => span.getAttribute('title')),
      )
      const perThousand = visitors === 0 ? [] : [amount(Math.round((1_000 * mrr) / visitors))]
      expect(exact.slice(2), `${query} ${value}`).toEqual([amount(revenue), amount(mrr), ...perThousand])
    }
    // The best one stands first; money without a visit, which no channel has earned, last.
    const best = data.find((row: { value: string }) => row.value !== '(none)')
    if (best?.mrr) expect(sources[0]![0], query).toBe(best.value)
    if (data.length > 1) expect(sources.at(-1)![0], query).toBe('Without a known visit')
  }
  expect(member.complaints).toEqual([])
})

test('money: the chart shows MRR with what it gained and lost, or what the figure that is chosen did', {
  tags: ['full'],
}, async () => {
  const { page, read, open } = all
  await open(`money?${RANGE}`)
  const query = `${RANGE}&compare=previous`
  const series = await read(`/stats/money/movements?${query}`)
  const values = async () => (await seriesOn(page)).map(text => text!.replace(/[^\d-]/g, ''))
  await page.waitForSelector('figure[aria-label="MRR over time"] table')
  const dollars = (minor: number) => String(Math.round(minor / 100))
  expect(await values()).toEqual(series.mrr.map(dollars))
  const kinds = ['New', 'Reactivation', 'Expansion', 'Contraction', 'Churn']
  expect((await chartOn(page))[0]).toEqual(['Date', 'MRR', 'Before', ...kinds])
  await page.click('button[aria-pressed]:has-text("Revenue")')
  await page.waitForURL('**metric=revenue*')
  await page.waitForSelector('figure[aria-label="Revenue over time"]')
  const revenue = await read(`/stats/timeseries?metric=revenue&${query}`)
  await expect.poll(values).toEqual(revenue.values.map(dollars))
})

test('money: changes of MRR are those of the API, with their customer, kind and amount', async () => {
  const { page, read, open } = all
  const query = `${RANGE}&channel[is_not]=Direct`
  await open(`money?${query}`)
  await page.waitForSelector('section[aria-label="Where MRR changed"] li')
  const { data } = await read(`/stats/money/changes?${query}`)
  const shown = await page.$$eval('section[aria-label="Where MRR changed"] li', items =>
    items.map(item => [
      item.querySelector('bdi')!.textContent,
      item.children[1]!.textContent.toLowerCase(),
      item.children[2]!.getAttribute('title'),
    ]),
  )
  expect(data.length).toBe(5)
  expect(shown).toEqual(
    data.map(({ name, customer, kind, amount: minor }: Record<string, string>) => [
      name ?? customer!.slice(2),
      kind,
      amount(Number(minor)),
    ]),
  )
})

test('money: payments alone, in another currency and zone, have no words about subscriptions', {
  tags: ['full'],
}, async () => {
  const { page, member, open } = all
  for (const query of ['from=2026-03-10&to=2026-03-12', `${RANGE}&channel=Direct`]) {
    await open(`money?${query}`, stall)
    const report = (await stall.call('GET', `/stats/money?${query}`)).body
    expect(await exactFigures(), query).toEqual({
      Revenue: amount(report.revenue, 'JPY'),
      Payments: String(report.payments),
      'Paying customers': String(report.paying_customers),
      'New customers': String(report.new_customers),
      'Revenue per customer': amount(report.revenue_per_paying_customer, 'JPY'),
    })
    expect(report.payments).toBeGreaterThan(0)
    await page.waitForSelector('figure[aria-label="Revenue over time"]')
    expect(await page.$('text=From the first day to the last')).toBeNull()
  }
  await open(`money?${RANGE}&list=payments`, stall)
  await page.waitForSelector('table[aria-label=Payments]')
  const { data } = (await stall.call('GET', '/payments')).body
  expect((await rowsOf('Payments')).map(row => row.at(-1))).toEqual(
    data.map(({ amount: minor }: { amount: number }) => amount(minor, 'JPY')),
  )
  expect(member.complaints).toEqual([])
})

test('money: customers are searched, sorted and opened; the page of one has its numbers', {
  tags: ['full'],
}, async () => {
  const { page, read, open } = all
  await open(`money?${RANGE}`)
  await page.waitForSelector('table[aria-label=Customers]')
  await expectFit(page)
  const { data } = await read('/stats/money/customers')
  expect((await rowsOf('Customers')).map(([name]) => name)).toEqual(
    data.map(({ name, email, customer_id: id }: Record<string, string>) => `${name ?? id}${email ?? ''}`),
  )
  await page.fill('[aria-label="Search by name, address or id"]', 'lovelace')
  await expect.poll(async () => (await rowsOf('Customers')).length).toBe(1)
  await page.click('table[aria-label=Customers] a')
  await page.waitForSelector('h1 >> text=Ada Lovelace')
  const ada = data.find(({ id }: { id: string }) => id === 'c:cus_ada')
  const expected = { Revenue: amount(ada.revenue), MRR: amount(ada.mrr), Payments: '1' }
  expect(await exactFigures()).toMatchObject(expected)
  expect(await page.textContent('section[aria-label="First visit"]')).toContain('Organic Search')
  await page.waitForSelector('table[aria-label=Subscriptions] >> text=sub_ada')
  await page.waitForSelector('table[aria-label=Payments] >> text=$20.00')
  await expectFit(page)
  expect(await page.getAttribute('text=Open the person', 'href')).toContain(`/people/${ADA}`)
  await page.click('text=← Money')
  await page.waitForSelector('table[aria-label=Customers]')
  await all.open('money/customers/c:nobody')
  await page.waitForSelector('text=This customer does not exist')
})

test('money: people who do not manage the site see no payments and no connection', {
  tags: ['full'],
}, async () => {
  const { visit, member, site } = all
  const { page, complaints, context } = await visit.member({
    ...{ teamId: member.login.teamId, role: 'viewer' },
  })
  await openWhole(page, `${visit.origin}/sites/${site.domain}/money?${RANGE}`)
  await page.waitForSelector('table[aria-label=Customers]')
  expect(await page.locator('role=tab').allTextContents()).not.toContain('Payments')
  expect(await page.$('a[href$="/connect-stripe"]')).toBeNull()
  await openWhole(page, `${visit.origin}/sites/${site.domain}/money/customers/c:cus_ada`)
  await page.waitForSelector('table[aria-label=Subscriptions]')
  expect(await page.$('section[aria-label=Payments]')).toBeNull()
  expect(complaints).toEqual([])
  await context.close()
})

test('money: a card that takes too long says so, and the others live', { tags: ['full'] }, async () => {
  const shown = 'table[aria-label^="Where money comes from"]'
  await expectTooSlow(all, `money?${RANGE}`, 'moneyBreakdown', shown)
  await all.page.waitForSelector('table[aria-label=Customers]')
})

test('money: without any payment the page says what it needs', { tags: ['full'] }, async () => {
  const { visit, member, page } = all
  const site = await seededSite(visit, member)
  await site.store([{ at: NOW.getTime() - 60_000, visitor: ADA }])
  await all.open('money', site)
  await page.waitForSelector('h2 >> text=No money yet')
  const way = await page.getAttribute('a:has-text("Connect Stripe")', 'href')
  expect(way).toBe(`/sites/${site.domain}/connect-stripe`)
  expect(await accessibilityProblems(page)).toEqual([])
})

test('money: no page asks for a connection or an import that does not exist, which would be an error in the log', async () => {
  const { visit, member, page, site } = all
  const bare = await seededSite(visit, member)
  await bare.store([{ at: NOW.getTime() - 60_000, visitor: ADA }])
  const refused: string[] = []
  // 207 is that of a batch in which something was refused.
  const note = (response: Response) => {
    if (response.status() >= 400 || response.status() === 207)
      refused.push(`${response.status()} ${response.url()}`)
  }
  page.on('response', note)
  for (const [of, paths] of [
    [bare, { money: 'h2 >> text=No money yet', 'connect-stripe': 'text=Paste the secrets' }],
    [stall, { [`money?${RANGE}`]: 'text=No payment processor', 'connect-stripe': 'text=Paste the secrets' }],
    [site, { [`money?${RANGE}`]: 'text=Stripe connected', 'connect-stripe': 'text=Import the past' }],
    [site, { 'money/customers/c:cus_ada': 'h1 >> text=Ada Lovelace' }],
  ] as const) {
    for (const [path, shown] of Object.entries(paths)) {
      await all.open(path, of)
      await page.waitForSelector(shown)
    }
  }
  page.off('response', note)
  expect(refused).toEqual([])
})

test('money: the import of the past is refused without a key, and says so', { tags: ['full'] }, async () => {
  const { page } = all
  await all.open('connect-stripe')
  await page.click('role=button[name="Import the past"]')
  await page.waitForSelector('text=The connection has no API key')
  expect(await accessibilityProblems(page)).toEqual([])
})
