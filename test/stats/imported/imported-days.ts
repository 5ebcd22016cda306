import type { EnrichedHit } from '../../../src/ingestion/hit.ts'
import { importTotals } from '../../../src/outgoing/transfer/totals/import-totals.ts'
import type { TotalsFormatName } from '../../../src/outgoing/transfer/totals/registry.ts'
import type { Db } from '../../../src/platform/db/connect.ts'
import { dayOf, formatDay, startOfDay } from '../../../src/platform/time/local-time.ts'
import { hit, type StatsSite } from '../../contract/stats-site.ts'
import { fileOf } from '../../outgoing/transfer/read/source.ts'
import { zipOf } from '../../outgoing/transfer/read/zip-file.ts'

/** What one line of a file counts. */
export interface Line {
  day: string
  browser: string
  version: string
  visitors: number
  sessions: number
  pageviews: number
  bounces: number
  seconds: number
}

const BROWSERS = [
  ['Chrome', '109.0'],
  ['Chrome', '108.0'],
  ['Firefox', '110.0'],
  ['Lynx', ''],
] as const

/** Numbers that follow from the day alone, so that a test can count again. */
export function linesOf(from: string, to: string): Line[] {
  const lines: Line[] = []
  for (let day = dayOf(from); day <= dayOf(to); day++) {
    for (const [index, [browser, version]] of BROWSERS.entries()) {
      const seed = (day * 7 + index * 13) % 29
      if (seed % 5 === 0) continue
      const sessions = 1 + seed
      lines.push({
        ...{ day: formatDay(day), browser, version, sessions },
        visitors: 1 + (seed % sessions),
        pageviews: sessions + (seed % 7),
        bounces: seed % sessions,
        seconds: seed * 11,
      })
    }
  }
  return lines
}

/** The export of Plausible with totals of the site, browsers, pages without bounces, and events. */
export function exportOf(lines: readonly Line[]): Buffer {
  const days = [...new Set(lines.map(({ day }) => day))]
  const sum = (day: string, name: 'visitors' | 'sessions' | 'pageviews' | 'bounces' | 'seconds') =>
    lines.filter(line => line.day === day).reduce((total, line) => total + line[name], 0)
  const rows = {
    visitors: days.map(day => [
      day,
      ...(['visitors', 'pageviews', 'bounces', 'sessions', 'seconds'] as const).map(of => sum(day, of)),
    ]),
    browsers: lines.map(line => [
      ...[line.day, line.browser, line.version, line.visitors, line.sessions, line.seconds, line.bounces],
      line.pageviews,
    ]),
    pages: lines.map(line => [line.day, `/${line.version}`, line.sessions, line.visitors, line.pageviews]),
    custom_events: lines.map(line => [line.day, `used ${line.browser}`, line.visitors, line.visitors + 1]),
  }
  const heads = {
    visitors: 'date,visitors,pageviews,bounces,visits,visit_duration',
    browsers: 'date,browser,browser_version,visitors,visits,visit_duration,bounces,pageviews',
    pages: 'date,page,visits,visitors,pageviews',
    custom_events: 'date,name,visitors,events',
  }
  return zipOf(
    Object.entries(heads).map(([name, head]) => ({
      name: `imported_${name}.csv`,
      // An array in a text has commas between its values.
      bytes: `${head}\n${rows[name as keyof typeof rows].join('\n')}\n`,
    })),
  )
}

export const NOW = '2024-04-20T12:00:00Z'

/** Imports a file into a site. */
export function importInto(
  db: Db,
  { siteNo }: Pick<StatsSite, 'siteNo'>,
  timezone: string,
  bytes: Buffer | string,
  { format = 'plausible-totals' as TotalsFormatName, name = 'export.zip', isDryRun = false } = {},
) {
  return importTotals(
    { db, now: () => new Date(NOW) },
    { siteNo, timezone },
    { format, file: fileOf(bytes, name), isDryRun },
  )
}

const visitor = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** Sessions from the noon of a day on, for some days: of whole seconds, each third with one pageview. */
export function ownHits(site: StatsSite, zone: string, from: string, days: number): EnrichedHit[] {
  const hits: EnrichedHit[] = []
  for (let index = 0; index < days * 3; index++) {
    const day = dayOf(from) + Math.floor(index / 3)
    const at = startOfDay(zone, day) + 12 * 3_600_000 + (index % 3) * 60_000
    const browserName = ['Chrome', 'Safari', 'Firefox'][index % 3]!
    const view = (seconds: number, url: string) => {
      const page = { url, title: '', visitorId: visitor(index % 4) }
      return hit(site, new Date(at + seconds * 1000).toISOString(), page, { browserName })
    }
    hits.push(view(0, '/109.0'))
    if (index % 3 > 0) hits.push(view(30, '/own'))
  }
  return hits
}
