import { Option } from 'commander'
import { asRefused, cellOf, openReads, type ReadOptions, Refused, readCommand, type Timing } from './calls.ts'
import { withCleanup } from './command.ts'
import { compareWithDuckDb } from './compare-duckdb.ts'
import { RANGES } from './endpoints.ts'
import { memoryLine } from './service.ts'
import { figure, formatTable, loadLine, machineLine } from './table.ts'

// Times the read endpoints on a seeded database, and optionally compares the times with those on a larger database.

/** Timings of one row of the table, by the name of the range; ranges without a timing are absent. */
interface ReadRow {
  name: string
  timings: Map<string, Timing | Refused>
}

/** The cheapest endpoints: their time is the fixed cost of a call. */
const FLOORS = ['/healthz', '/api/currencies']
/** Periods of the list of sites by the name of their range; they end today. */
const LISTED = new Map([
  ['24 h', '24h'],
  ['7 d', '7d'],
  ['30 d', '30d'],
])

interface Options extends ReadOptions {
  against?: string
  duckdb?: boolean
  days?: string[]
}

const command = readCommand('reads', 'times every read endpoint on a database that bench:seed has filled')
  .option('--against <where>', 'a larger one, to see how times grow with the data')
  .addOption(
    new Option('--days <counts...>', 'only ranges of so many days; all unless given').choices(
      RANGES.map(({ days }) => String(days)),
    ),
  )
  .option('--duckdb', 'instead, filtered reads of 30 days beside DuckDB with the same data')
  .parse()

await withCleanup(async () => {
  const { against, duckdb, ...options } = command.opts<Options>()
  const { calls, data } = options
  process.stdout.write(`${machineLine(new Date())}\n`)
  if (duckdb) {
    const table = await compareWithDuckDb(options)
    process.stdout.write(
      `Milliseconds, medians of ${calls} warm calls. At the end ${loadLine()}.\n\n${table}\n`,
    )
    return
  }
  const measured = []
  for (const place of against === undefined ? [data] : [data, against]) {
    measured.push(await measureReads({ ...options, data: place }))
  }
  const notes = measured.map(({ hits, until }) => `${figure(hits)} hits in the 90 days to ${until}`)
  const [base, larger] = measured.map(({ rows }) => rows)
  process.stdout.write(
    `${notes.join('; then ')} (log rows; engagement not counted). Milliseconds, median / p99 of ${calls} warm calls, ` +
      `one at a time; * of fewer; 503: took too long. At the end ${loadLine()}.\n\n${tableOf(base!, larger, options)}\n\n${measured.at(-1)!.memory}\n`,
  )
})

function rangesOf({ days }: Options) {
  return RANGES.filter(range => days?.includes(String(range.days)) ?? true)
}

/** Times every read endpoint in every range, unfiltered and with a country filter. */
async function measureReads(options: Options) {
  const { service, surface, time } = await openReads(options)
  const counted = await service.api<{ series: Record<string, number[]> }>(
    'GET',
    surface.url({ name: '', path: '/stats/events/timeseries' }, 90),
  )
  const hits = Object.values(counted.series)
    .flat()
    .reduce((sum, count) => sum + count, 0)
  const rows: ReadRow[] = []
  for (const path of FLOORS) {
    const timing = await time(path)
    rows.push({ name: `floor: GET ${path}`, timings: new Map(RANGES.map(({ name }) => [name, timing])) })
  }
  const listed = new Map<string, Timing>()
  for (const [name, period] of LISTED) listed.set(name, await time(`/api/sites?period=${period}`))
  rows.push({ name: 'list of all sites', timings: listed })
  for (const filter of [undefined, `country=${surface.country}`]) {
    for (const endpoint of surface.endpoints) {
      const timings = new Map<string, Timing | Refused>()
      for (const { name, days } of rangesOf(options)) {
        timings.set(name, await time(surface.url(endpoint, days, filter)).catch(asRefused))
      }
      rows.push({ name: filter ? `${endpoint.name}, ${filter}` : endpoint.name, timings })
    }
  }
  return { rows, hits, until: surface.until, memory: await memoryLine(service) }
}

function tableOf(base: ReadRow[], larger: ReadRow[] | undefined, options: Options): string {
  const ranges = rangesOf(options).map(({ name }) => name)
  const lines: string[][] = []
  for (const [index, row] of base.entries()) {
    lines.push([row.name, ...cellsOf(row, ranges, options.calls)])
    const grown = larger?.[index]
    if (!grown) continue
    lines.push(
      ['  larger', ...cellsOf(grown, ranges, options.calls)],
      ['  growth', ...ranges.map(range => growth(row, grown, range))],
    )
  }
  return formatTable(['read', ...ranges], lines)
}

function cellsOf({ timings }: ReadRow, ranges: string[], calls: number): string[] {
  return ranges.map(name => {
    const timing = timings.get(name)
    if (!timing) return '–'
    const isShort = !(timing instanceof Refused) && timing.calls < calls
    return `${cellOf(timing)}${isShort ? '*' : ''}`
  })
}

function growth(base: ReadRow, larger: ReadRow, range: string): string {
  const [timing, before] = [larger.timings.get(range), base.timings.get(range)]
  if (!timing || !before || timing instanceof Refused || before instanceof Refused) return '–'
  return `× ${figure(timing.median / before.median)}`
}
