import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { sweep } from '../support/runs.ts'
import { accessibilityProblems } from './audit-page.ts'
import { type SeededHit, type SeededSite, seededSite } from './seeded-site.ts'
import { cardOn, chartOn, figuresOn, seriesOn, tableOn } from './shown.ts'
import { expectTooSlow, siteVisit } from './site-visit.ts'
import { openWhole } from './visit.ts'

/** A Wednesday, three days after the clocks of Berlin changed. */
const NOW = new Date('2026-04-01T10:30:00Z')
const [HOUR, DAY] = [3_600_000, 86_400_000]
const HOSTILE = `<img src=x onerror="alert(1)">\u202e${'x'.repeat(2_000)}`

/** Sixty visitors of the last ten days, of those before and of the year before, and the days on which clocks change. */
function hits(): SeededHit[] {
  const visits = Array.from({ length: 60 }, (_, index) => ({
    at: NOW.getTime() - [0, 30, 365][index % 3]! * DAY - (index % 10) * DAY - (index + 1) * 60_000,
    index,
  }))
  for (const start of ['2026-03-28T22:30:00Z', '2025-10-25T21:30:00Z']) {
    for (let hour = 0; hour < 27; hour += 2)
      visits.push({ at: Date.parse(start) + hour * HOUR, index: visits.length })
  }
  return visits.flatMap(({ at, index }) => {
    const visitor = randomUUID()
    const hit = (seconds: number, fields: SeededHit['fields'], dimensions = {}): SeededHit => ({
      ...{ at: at + seconds * 1_000, visitor, fields: fields!, dimensions },
    })
    const from = {
      country: index % 2 === 0 ? 'DE' : 'JP',
      source: index % 4 === 0 ? 'Google' : '',
      channel: index % 4 === 0 ? 'Organic Search' : 'Direct',
    }
    const title = index === 7 * 3 ? HOSTILE : 'Home'
    return [
      hit(0, { url: index % 5 === 0 ? '/pricing' : '/', title }, from),
      ...(index % 7 === 0 ? [hit(20, { url: '/docs' })] : []),
      ...(index % 8 === 0 ? [hit(31.5, { type: 'event', name: 'signup', props: { plan: 'pro' } })] : []),
    ]
  })
}

const all = siteVisit({ now: () => NOW, timezone: 'Europe/Berlin', hits: hits() })
/** With yen, which have no smaller unit, and half hours. */
let kolkata: SeededSite

beforeAll(async () => {
  const { visit, member, site } = all
  // A reader who lives in the zone of neither site.
  await member.context.clock.setFixedTime(NOW)
  kolkata = await seededSite(visit, member, 'Asia/Kolkata')
  await kolkata.store(hits())
  await site.call('PATCH', '/currency', { currency: 'EUR' })
  await kolkata.call('PATCH', '/currency', { currency: 'JPY' })
  const sales = [
    { amount: 123_456, timestamp: '2026-03-28T23:00:00Z' },
    { amount: 50, timestamp: '2026-03-31T22:30:00Z' },
    { amount: 2_999, timestamp: '2026-02-28T18:30:00Z' },
    // Without a payment in the range, no money is shown.
    { amount: 700, timestamp: '2025-10-26T12:00:00Z' },
  ]
  for (const [each, currency] of [[site, 'EUR'] as const, [kolkata, 'JPY'] as const]) {
    await each.call('POST', '/goals', { match_type: 'event', match_value: 'signup' })
    await each.call('POST', '/goals', { match_type: 'page', match_value: '/pricing' })
    for (const [index, sale] of sales.entries())
      await each.call('POST', '/payments', { ...sale, currency, transaction_id: `sale-${index}` })
  }
  await site.call('POST', '/annotations', { text: 'v2.4 released', starts_at: '2026-03-29' })
})

const openMonth = () => all.open('?range=last_30_days')

/** How numbers are written, by the documents of `Intl` alone. */
const writing = (locale: string, currency: string) => {
  const style = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const
  const digits = currency === 'JPY' ? 0 : 2
  return {
    count: (value: number) => value.toLocaleString(locale, { maximumFractionDigits: 2 }),
    percent: (value: number) => `${value.toLocaleString(locale)}${locale === 'de-DE' ? '\u00a0' : ''}%`,
    duration: (seconds: number) =>
      seconds < 59.5
        ? `${Math.round(seconds)}s`
        : `${Math.floor(seconds / 60)}m ${Math.round(seconds % 60)}s`,
    money: (minor: number) => (minor / 10 ** digits).toLocaleString(locale, style),
    /** Without cents from a hundred on, and where there are none. */
    shortMoney(minor: number) {
      const major = minor / 10 ** digits
      const shown = major >= 100 || Number.isInteger(major) ? 0 : 2
      const options = { ...style, minimumFractionDigits: shown, maximumFractionDigits: shown }
      return major >= 100_000
        ? major.toLocaleString(locale, { ...style, notation: 'compact', maximumFractionDigits: 1 })
        : major.toLocaleString(locale, options)
    },
  }
}

type Numbers = Record<string, number>
type Written = ReturnType<typeof writing>

/** Figures in their short and exact forms. */
const figuresOf = (overview: Numbers, { count, percent, duration, money, shortMoney }: Written) => ({
  'Unique visitors': [count(overview.visitors!), count(overview.visitors!)],
  Visits: [count(overview.sessions!), count(overview.sessions!)],
  Pageviews: [count(overview.pageviews!), count(overview.pageviews!)],
  'Views per visit': [count(overview.views_per_visit!), count(overview.views_per_visit!)],
  'Bounce rate': [percent(overview.bounce_rate!), percent(overview.bounce_rate!)],
  'Visit duration': [duration(overview.avg_session_seconds!), `${count(overview.avg_session_seconds!)} s`],
  Revenue: [shortMoney(overview.revenue!), money(overview.revenue!)],
})

/** The name of a bucket by the clocks of the site. */
function bucketName(label: string, group: string, timeZone: string): string {
  const options: Record<string, Intl.DateTimeFormatOptions> = {
    hour: { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
    day: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
    month: { month: 'long', year: 'numeric' },
  }
  return new Intl.DateTimeFormat('en-GB', { timeZone, ...options[group] }).format(new Date(label))
}

const COUNTRIES: Record<string, string> = { DE: 'Germany', JP: 'Japan' }

test.each(
  sweep([
    'range=last_7_days&country=DE&compare=previous_year',
    'range=last_30_days&compare=previous',
    'from=2026-03-27&to=2026-03-30&path[contains]=/pri&compare=none',
    'range=today&compare=previous',
    'range=last_24_hours&compare=none',
    'range=last_12_months&compare=none',
    'from=2026-03-29&to=2026-03-29&compare=none',
    'from=2025-10-26&to=2025-10-26&compare=none',
  ]),
)(
  'overview: figures, chart and rankings are those of the API, by the clocks of each site: %s',
  async query => {
    const { page } = all
    const isCompared = !query.endsWith('none')
    for (const [site, zone, currency] of [
      [all.site, 'Europe/Berlin', 'EUR'],
      [kolkata, 'Asia/Kolkata', 'JPY'],
    ] as const) {
      const written = writing('en-GB', currency)
      const asked = query.replace('&compare=none', '')
      const read = async (path: string) => (await site.call('GET', `${path}${asked}`)).body
      const overview = await read('/overview?')
      await (site === all.site ? all.open : all.go)(`?${query}`, site)
      const before = figuresOf(isCompared ? overview.previous : overview, written)
      const figures = Object.entries(figuresOf(overview, written)).map(([name, forms]) => [
        name,
        [...forms, isCompared ? `Before: ${before[name as keyof typeof before][1]}` : ''],
      ])
      await expect.poll(() => figuresOn(page), { message: zone }).toMatchObject(Object.fromEntries(figures))

      const series = await read('/stats/timeseries?metric=visitors&')
      const revenue = await read('/stats/timeseries?metric=revenue&')
      const { labels, group, previous_labels: labelsBefore = labels } = series
      // Days on which clocks change have 23 and 25 hours.
      const hours: Record<string, number> = { 'from=2026-03-29': 23, 'from=2025-10-26': 25 }
      const expected = site === kolkata ? undefined : hours[query.split('&')[0]!]
      if (expected) expect(labels).toHaveLength(expected)
      await expect
        .poll(() => chartOn(page), { message: zone })
        .toEqual([
          ['Date', 'Unique visitors', ...(isCompared ? ['Before'] : []), 'Revenue'],
          ...labels.map((label: string, index: number) => [
            bucketName(label, group, zone),
            // Hours that are still to come, and those that the compared period does not have, are empty, not 0.
            Date.parse(label) > NOW.getTime() ? '–' : written.count(series.values[index]),
            ...(isCompared
              ? [index < labelsBefore.length ? written.count(series.previous[index]) : '–']
              : []),
            written.money(revenue.values[index]),
          ]),
        ])

      await page.click('role=tab[name="Channels"]')
      for (const [card, dimension] of [
        ['Pages', 'path'],
        ['Channels', 'channel'],
        ['Countries', 'country'],
      ] as const) {
        const { data } = await read(`/stats/breakdown?dimension=${dimension}&per_page=7&`)
        const hasMoney = data.some(({ revenue }: Numbers) => revenue)
        await expect
          .poll(() => cardOn(page, card), { message: `${zone}: ${card}` })
          .toEqual(
            data.map(({ value, visitors, revenue }: Numbers) => [
              (dimension === 'country' && COUNTRIES[value!]) || value,
              written.count(visitors!),
              ...(hasMoney ? [written.money(revenue ?? 0)] : []),
            ]),
          )
      }
      const goals = await read('/stats/goals?')
      const shown = goals.sort((a: Numbers, b: Numbers) => b.visitors! - a.visitors!)
      await page.waitForSelector('section[aria-label="Goals"] ol li')
      expect((await cardOn(page, 'Goals')).map(row => row.slice(0, 3))).toEqual(
        shown.map(({ display_name: name, visitors, conversion_rate: rate }: Numbers) => [
          name,
          written.count(visitors!),
          written.percent(rate!),
        ]),
      )
    }
    expect(all.member.complaints).toEqual([])
  },
)

test('overview: a click on a country keeps its visits alone, each figure changes the chart, and chips and Back undo it', async () => {
  const { page, read } = all
  await openMonth()
  const before = await figuresOn(page)
  await page.click('section[aria-label="Countries"] >> role=button[name=/Germany/]')
  await page.waitForSelector('section[aria-label="Filters"] >> text=Country is')
  const query = 'range=last_30_days&country=DE'
  const { visitors } = await read(`/overview?${query}`)
  await expect.poll(async () => (await figuresOn(page))['Unique visitors']![1]).toBe(String(visitors))
  const { count, percent } = writing('en-GB', 'EUR')
  for (const [figure, metric, write] of [
    ['Pageviews', 'pageviews', count],
    ['Visits', 'sessions', count],
    ['Bounce rate', 'bounce_rate', percent],
    ['Visit duration', 'avg_session_seconds', (value: number) => `${count(value)} s`],
    ['Views per visit', 'views_per_visit', count],
  ] as const) {
    await page.click(`button[aria-pressed]:has-text("${figure}")`)
    const { values } = await read(`/stats/timeseries?metric=${metric}&${query}`)
    await expect.poll(() => seriesOn(page), { message: figure }).toEqual(values.map(write))
  }
  await page.goBack()
  await expect.poll(() => figuresOn(page)).toEqual(before)
  await page.goForward()
  await page.click('button[aria-label^="Remove the filter Country"]')
  await expect.poll(() => figuresOn(page)).toEqual(before)
})

test('overview: keys choose a period, which the next page without one remembers', {
  tags: ['full'],
}, async () => {
  const { page } = all
  await openMonth()
  await page.keyboard.press('w')
  await page.waitForURL('**range=last_7_days*')
  await all.open('')
  await page.waitForSelector('text=Last 7 days')
  await page.keyboard.press('?')
  await page.waitForSelector('role=dialog[name="Keyboard shortcuts"]')
  await page.keyboard.press('Escape')
  await page.waitForSelector('role=dialog', { state: 'detached' })
  await page.keyboard.press('/')
  await page.waitForSelector('role=dialog[name="Search values"]')
  await page.keyboard.type('pric')
  await page.click('role=dialog >> button:has-text("/pricing")')
  await page.waitForURL('**path=/pricing*')
  await page.keyboard.press('x')
  await page.waitForURL(url => !url.searchParams.has('path'))
  await page.keyboard.press('t')
  await page.waitForURL('**range=last_30_days*')
})

test('overview: details of a card: numbers, search and order are those of the API, and the file has all rows', {
  tags: ['full'],
}, async () => {
  const { page, read } = all
  await openMonth()
  await page.click('section[aria-label="Pages"] >> text=Details')
  await page.waitForSelector('role=dialog >> table')
  await page.click('role=dialog >> role=button[name="Pageviews"]')
  await page.waitForSelector('role=dialog >> th[aria-sort=descending] >> text=Pageviews')
  const { data } = await read('/stats/breakdown?dimension=path&sort=pageviews&range=last_30_days')
  const { count, percent } = writing('en-GB', 'EUR')
  await expect
    .poll(async () => (await tableOn(page, '[role=dialog]')).map(row => row.slice(0, 4)))
    .toEqual(
      data.map(({ value, visitors, pageviews, bounce_rate: bounces }: Numbers) => [
        value,
        count(visitors!),
        count(pageviews!),
        percent(bounces!),
      ]),
    )
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Download CSV')])
  expect(download.suggestedFilename()).toBe('path.csv')
  await page.fill('role=dialog >> input', 'docs')
  await expect.poll(async () => (await tableOn(page, '[role=dialog]')).length).toBe(1)
  await page.keyboard.press('Escape')
})

test('overview: the arrow keys read each bucket of the chart, and the note of a day', {
  tags: ['full'],
}, async () => {
  const { page } = all
  await openMonth()
  await page.focus('[role=group][aria-label="Unique visitors over time"]')
  await page.keyboard.press('End')
  await page.waitForSelector('[role=status] >> text=Wednesday')
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowLeft')
  const readout = await page.textContent('[role=group] [role=status]')
  expect(readout).toContain('Sunday')
  expect(readout).toContain('v2.4 released')
})

test('overview: texts from hits are texts: no markup, isolated, and in one line', async () => {
  const { page, member } = all
  await openMonth()
  await page.click('role=tab[name="Titles"]')
  const title = page.locator('section[aria-label="Pages"] bdi >> text=<img src=x')
  await title.waitFor()
  expect(await page.$('img[src=x]')).toBeNull()
  expect(await title.textContent()).not.toContain('\u202e')
  expect((await title.boundingBox())!.height).toBeLessThan(30)
  await page.click('role=tab[name="Pages"]')
  expect(member.complaints).toEqual([])
})

test('overview: a card that takes too long says so, and the others live', { tags: ['full'] }, () =>
  expectTooSlow(all, '?range=last_30_days', 'goals', 'text=signup'),
)

test('overview: the first load has at most 170 kB of JavaScript and then 12 requests', {
  tags: ['full'],
}, async () => {
  const { visit, member, site } = all
  const { page, context } = await visit.member({ teamId: member.login.teamId })
  const scripts: Promise<number>[] = []
  const reads: string[] = []
  page.on('response', response => {
    const path = new URL(response.url()).pathname
    if (path.endsWith('.js')) scripts.push(response.body().then(body => gzipSync(body).length))
    else if (!path.startsWith('/web/') && !path.startsWith('/sites/')) reads.push(path)
  })
  await openWhole(page, `${visit.origin}/sites/${site.domain}?range=last_30_days`)
  const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThanOrEqual(170_000)
  expect(reads.length, reads.join(' ')).toBeLessThanOrEqual(12)
  await context.close()
})

test('overview: numbers and days are written the German way', { tags: ['full'] }, async () => {
  const { visit, member, site, read } = all
  const { page, context } = await visit.member({
    ...{ teamId: member.login.teamId, locale: 'de-DE', timezone: 'America/New_York' },
  })
  await context.clock.setFixedTime(NOW)
  await openWhole(page, `${visit.origin}/sites/${site.domain}?range=last_30_days`)
  expect(await page.getAttribute('html', 'lang')).toBe('de')
  const overview = await read('/overview?range=last_30_days')
  const { count, percent, money, shortMoney } = writing('de-DE', 'EUR')
  const forms = (short: string, exact = short) => [short, exact, expect.any(String)]
  await expect
    .poll(() => figuresOn(page))
    .toMatchObject({
      Besucher: forms(count(overview.visitors)),
      'Aufrufe/Besuch': forms(count(overview.views_per_visit)),
      Absprungrate: forms(percent(overview.bounce_rate)),
      Umsatz: forms(shortMoney(overview.revenue), money(overview.revenue)),
    })
  const chart = await chartOn(page)
  expect([chart[1]![0], chart.at(-1)![0]]).toEqual(['Dienstag, 3. März 2026', 'Mittwoch, 1. April 2026'])
  await context.close()
})

test('overview: a site without hits says what to do, one of another team does not exist, and a server that is away is tried again', {
  tags: ['full'],
}, async () => {
  const { visit, member, page } = all
  await all.open('', await seededSite(visit, member))
  await page.waitForSelector('h1:has-text("Waiting for the first visit")')
  expect(await accessibilityProblems(page)).toEqual([])
  await page.goto(`${visit.origin}/sites/${randomUUID()}.example`)
  await page.waitForSelector('text=you have no access to it')
  let isAway = true
  await page.route('**/trpc/**', route => (isAway ? route.abort() : route.continue()))
  await all.open('')
  await page.waitForSelector('h1:has-text("The server is away")')
  isAway = false
  await page.click('role=button[name="Try again"]')
  await page.waitForSelector('figure svg')
  await page.unroute('**/trpc/**')
})
