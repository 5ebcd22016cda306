import { describe, expect, test } from 'vitest'
import { ratio } from '../../../src/platform/lib/numbers.ts'
import { dayOf, formatDay } from '../../../src/platform/time/local-time.ts'
import { type StatsSite, useStats } from '../../contract/stats-site.ts'
import { sweep } from '../../support/runs.ts'
import { exportOf, importInto, type Line, linesOf, NOW, ownHits } from './imported-days.ts'

// The own hits begin on 5 April 2024; clocks change on 10 March (New York) and on 31 March (Berlin).
const ZONES = ['Europe/Berlin', 'America/New_York']
const OWN = '2024-04-05'
const FROM = '2023-12-20'
const LINES = linesOf(FROM, '2024-04-10')
const USED = LINES.filter(({ day }) => day < OWN)

const sites = new Map<string, StatsSite>()

const stats = useStats(async () => {
  for (const zone of ZONES) {
    const site = await stats.site(zone)
    sites.set(zone, site)
    await stats.store(ownHits(site, zone, OWN, 8))
    await importInto(stats.api.services.db, site, zone, exportOf(LINES))
  }
}, NOW)

const read = (zone: string, path: string) => stats.read(sites.get(zone)!, path)

const within = (from: string, to: string, lines = USED) => lines.filter(({ day }) => day >= from && day <= to)
const sum = (lines: readonly Line[], name: keyof Line) =>
  lines.reduce((total, line) => total + Number(line[name]), 0)

type Metrics = Record<string, number>
type Row = { value: string; [metric: string]: number | string }

/** Counts own sessions and lines together: the own ones from an answer without imported totals. */
function together(own: Metrics, lines: readonly Line[]): Metrics {
  const sessions = own.sessions! + sum(lines, 'sessions')
  const pageviews = own.pageviews! + sum(lines, 'pageviews')
  const bounces = Math.round((own.bounce_rate! * own.sessions!) / 100) + sum(lines, 'bounces')
  const seconds = Math.round(own.avg_session_seconds! * own.sessions!) + sum(lines, 'seconds')
  return {
    visitors: own.visitors! + sum(lines, 'visitors'),
    sessions,
    pageviews,
    views_per_visit: ratio(pageviews, sessions, 2),
    bounce_rate: ratio(100 * bounces, sessions, 2),
    avg_session_seconds: ratio(seconds, sessions, 2),
  }
}

const withEvents = (own: Metrics, lines: readonly Line[]) => ({
  ...{ ...own, ...together(own, lines) },
  custom_events: own.custom_events! + sum(lines, 'visitors') + lines.length,
})

const RANGES = [
  ['2024-02-01', '2024-02-10'],
  ['2024-03-05', '2024-03-14'],
  ['2024-03-29', '2024-04-02'],
  ['2024-04-01', '2024-04-08'],
  ['2024-03-31', '2024-03-31'],
  ['2024-04-06', '2024-04-10'],
  ['2023-11-01', '2024-04-20'],
] as const

describe.each(sweep(ZONES))('imported totals in %s', zone => {
  test.each(sweep(RANGES))('overview from %s to %s: own numbers and those of the file', async (from, to) => {
    const custom = '&compare=custom&compare_from=2024-03-30&compare_to=2024-04-06'
    for (const compare of ['', '&compare=previous_year', custom]) {
      const query = `/overview?from=${from}&to=${to}${compare}`
      const own = await read(zone, query)
      const { imported, ...both } = await read(zone, `${query}&imported=true`)
      const lines = within(from, to)
      const length = dayOf(to) - dayOf(from) + 1
      const [first, last] = [dayOf(from) - length, dayOf(from) - 1].map(formatDay)
      const before = own.comparison ?? { from: first, to: last }
      const previous = withEvents(own.previous, within(before.from, before.to))
      expect(both, query).toEqual({ ...own, ...withEvents(own, lines), previous })
      const used = { from: from > FROM ? from : FROM, used: true, why_not: null, missing: [] }
      const unused = { from: null, to: null, used: false, why_not: 'no_days', visitors: null }
      expect(imported).toMatchObject(
        lines.length > 0 ? { ...used, sources: ['Plausible'] } : { ...unused, sources: [] },
      )
    }
  })

  test.each(
    sweep([
      ['day', '2024-03-28'],
      ['week', '2024-03-01'],
      ['month', '2024-01-15'],
    ]),
  )('series by %s: each bucket has its days', async (group, from) => {
    const query = `/stats/timeseries?from=${from}&to=2024-04-20&group=${group}`
    const { labels } = await read(zone, `${query}&metric=visitors`)
    const starts: string[] = labels.map((label: string) => label.slice(0, 10))
    const expected: Metrics[] = []
    for (const [index, start] of starts.entries()) {
      const end = starts[index + 1] ? formatDay(dayOf(starts[index + 1]!) - 1) : '2024-04-20'
      expected.push(together(await read(zone, `/overview?from=${start}&to=${end}`), within(start, end)))
    }
    for (const metric of ['visitors', 'bounce_rate', 'avg_session_seconds', 'views_per_visit']) {
      const { imported, ...both } = await read(zone, `${query}&metric=${metric}&imported=true`)
      expect(both.labels).toEqual(labels)
      expect(both.values, metric).toEqual(expected.map(counted => counted[metric]))
      expect(imported).toMatchObject({ from, to: '2024-04-04', used: true })
      expect(imported.visitors).toBe(metric === 'visitors' ? 'sum_of_days' : null)
    }
  })

  test('breakdown: values of both are ranked together, in pages, by any number, and as CSV', async () => {
    const range = 'from=2024-03-25&to=2024-04-12'
    const lines = within('2024-03-25', '2024-04-12')
    const own = await read(zone, `/stats/breakdown?dimension=browser&${range}`)
    const none = { visitors: 0, sessions: 0, pageviews: 0, bounce_rate: 0, avg_session_seconds: 0 }
    const expected = ['Chrome', 'Firefox', 'Lynx', 'Safari'].map((value): Row => {
      const counted = own.data.find((row: Row) => row.value === value) ?? none
      const ofValue = lines.filter(({ browser }) => browser === value)
      return { value, ...together(counted, ofValue) }
    })
    for (const sort of ['visitors', 'sessions', 'pageviews', 'bounce_rate', 'avg_session_seconds', 'value']) {
      const query = `/stats/breakdown?dimension=browser&${range}&sort=${sort}&imported=true`
      const { data, meta, imported } = await read(zone, `${query}&per_page=100`)
      const sorted = expected.toSorted((a, b) =>
        sort === 'value'
          ? a.value.localeCompare(b.value)
          : Number(b[sort]) - Number(a[sort]) || Number(b.visitors) - Number(a.visitors),
      )
      expect(data, sort).toMatchObject(sorted)
      expect(meta.total).toBe(4)
      expect(imported).toMatchObject({ used: true, from: '2024-03-25', to: '2024-04-04', missing: [] })
      const second = await read(zone, `${query}&per_page=3&page=2`)
      expect(second.data).toEqual([data[3]])
      const csv = await fetch(`${stats.api.url}${sites.get(zone)!.path}${query}`, {
        headers: { authorization: `Bearer ${stats.owner.token}`, accept: 'text/csv' },
      })
      const [head, ...rows] = (await csv.text())
        .replace(/^\uFEFF/, '')
        .trim()
        .split(/\r?\n/)
      const place = head!.split(',').indexOf('visitors')
      const shown = rows.map(row => Number(row.split(',')[place]))
      expect(shown).toEqual(data.map((row: Row) => row.visitors))
    }
    const { data } = await read(zone, `/stats/breakdown?dimension=browser&${range}&search=LYN&imported=true`)
    expect(data.map((row: Row) => row.value)).toEqual(['Lynx'])
  })

  test('breakdown: numbers that the file lacks count own sessions only, and the answer says so', async () => {
    const range = 'from=2024-04-01&to=2024-04-12'
    const { data, imported } = await read(zone, `/stats/breakdown?dimension=path&${range}&imported=true`)
    const own = await read(zone, `/stats/breakdown?dimension=path&${range}`)
    const isPage = (row: Row) => row.value === '/109.0'
    const [row, ownRow] = [data.find(isPage), own.data.find(isPage)]
    const lines = within('2024-04-01', '2024-04-12').filter(({ version }) => version === '109.0')
    expect(row).toMatchObject({
      visitors: ownRow.visitors + sum(lines, 'visitors'),
      sessions: ownRow.sessions + sum(lines, 'sessions'),
      ...{ bounce_rate: ownRow.bounce_rate, avg_session_seconds: ownRow.avg_session_seconds },
    })
    const lacking = ['bounce_rate', 'avg_session_seconds', 'time_on_page_seconds', 'scroll_depth']
    expect(imported.missing).toEqual(lacking)
    const sorted = await read(zone, `/stats/breakdown?dimension=path&${range}&sort=bounce_rate&imported=true`)
    expect(sorted.imported).toMatchObject({ used: false, why_not: 'numbers' })
    expect(sorted.data.map((row: Row) => row.value)).not.toContain('/108.0')
  })

  test('breakdown: the compared period has its imported totals', async () => {
    const query = 'dimension=browser&from=2024-04-06&to=2024-04-12&compare=previous'
    const own = await read(zone, `/stats/breakdown?${query}`)
    const both = await read(zone, `/stats/breakdown?${query}&imported=true`)
    expect(both.imported).toMatchObject({ used: false, why_not: 'no_days', previous: { used: true } })
    for (const [index, row] of both.data.entries()) {
      const { previous, ...rest } = own.data[index]
      expect(row).toMatchObject(rest)
      const lines = within('2024-03-30', '2024-04-05').filter(({ browser }) => browser === row.value)
      expect(row.previous).toMatchObject(together(previous, lines))
    }
  })

  test('filters: those of one file are answered, others are refused', async () => {
    const range = 'from=2024-03-25&to=2024-04-12&imported=true'
    const chrome = await read(zone, `/overview?${range}&browser=Chrome`)
    const own = await read(zone, `/overview?${range.replace('&imported=true', '')}&browser=Chrome`)
    const lines = within('2024-03-25', '2024-04-12').filter(({ browser }) => browser === 'Chrome')
    expect(chrome).toMatchObject(together(own, lines))
    expect(chrome.imported).toMatchObject({ used: true, missing: ['custom_events'] })
    const versions = await read(
      zone,
      `/stats/breakdown?dimension=browser_version&browser[is_not]=Chrome&browser[is_not]=(none)&${range}`,
    )
    expect(versions.imported.used).toBe(true)
    const firefox =
      lines.length && within('2024-03-25', '2024-04-12').filter(({ version }) => version === '110.0')
    expect(versions.data.find(({ value }: { value: string }) => value === '110.0').visitors).toBe(
      sum(firefox as Line[], 'visitors'),
    )
    const goal = await stats.goal(sites.get(zone)!, { match_type: 'page', match_value: `/own-${zone}` })
    for (const [path, why] of [
      ['/overview?browser[contains]=rom', 'filters'],
      ['/overview?country=DE', 'filters'],
      ['/overview?path=/109.0&path=/108.0', 'filters'],
      ['/overview?path[is_not]=/109.0', 'filters'],
      ['/overview?browser=Chrome&path=/109.0', 'filters'],
      ['/overview?prop_key=plan', 'filters'],
      [`/overview?goal=${goal}`, 'filters'],
      ['/stats/breakdown?dimension=country', 'dimension'],
      ['/stats/breakdown?dimension=hour_of_week', 'dimension'],
      ['/stats/breakdown?dimension=browser&path=/a', 'filters'],
      [`/stats/breakdown?dimension=browser&conversion_goal=${goal}`, 'conversions'],
      ['/stats/timeseries?metric=visitors&group=hour', 'part_days'],
      ['/stats/timeseries?metric=revenue', 'numbers'],
    ] as const) {
      const answer = await read(zone, `${path}${path.includes('?') ? '&' : '?'}${range}`)
      const { imported, ...rest } = answer
      const days = { from: '2024-03-25', to: '2024-04-04' }
      expect(imported, path).toMatchObject({ used: false, why_not: why, ...days })
      const plain = await read(zone, `${path}&${range.replace('&imported=true', '')}`)
      const withoutLinks = ({ links: _links, ...fields }: Record<string, unknown>) => fields
      expect(withoutLinks(rest), path).toEqual(withoutLinks(plain))
    }
    const page = await read(zone, `/overview?path=/109.0&${range}`)
    expect(page.imported.used).toBe(true)
  })

  test('ranges: `all` begins with the first imported day only when they are asked for', async () => {
    const own = await read(zone, '/overview?range=all')
    const both = await read(zone, '/overview?range=all&imported=true')
    expect(own.days).toBe(dayOf('2024-04-20') - dayOf(OWN) + 1)
    expect(both.days).toBe(dayOf('2024-04-20') - dayOf(FROM) + 1)
    expect(both.visitors).toBe(own.visitors + sum(USED, 'visitors'))
    const hours = await read(zone, '/overview?range=last_24_hours&imported=true')
    expect(hours.imported).toMatchObject({ used: false, why_not: 'no_days' })
    expect(own.imported).toBeUndefined()
  })
})
