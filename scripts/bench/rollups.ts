import { Option } from 'commander'
import { DAY_MS } from '../../src/platform/lib/time.ts'
import type { Written } from '../../src/storage/rollups/keep-refreshed.ts'
import { secondsSince } from '../progress.ts'
import { benchCommand, numberOption, withCleanup } from './command.ts'
import { STATES, settle, startFiller } from './filler.ts'
import { measureRollups } from './measure-rollups.ts'
import { usageOf, usedBetween } from './processes.ts'
import { isEmbedded, processesBeside, type Target } from './service.ts'
import { SHAPE_NAMES, SHAPES, type ShapeName } from './shapes.ts'
import { figure, formatTable, loadLine, machineLine } from './table.ts'

// Imports a month of each shape of traffic, then rolls up each of its days again in three states: fresh rows, half of the
// rows in the columnstore, and all rows in the columnstore.

const DAYS = 30
/** Distance between the starts of two months, so that no two months share a chunk. */
const MONTH_MS = 42 * DAY_MS
/** Highest allowed ratio of the worst day's time per hit to the median day's. */
const LIMIT = 3
/** A time without any chunk. */
const NEVER = Date.UTC(9999, 0, 1)

interface Options extends Target {
  events?: number
  shape: ShapeName[]
}

const command = benchCommand(
  'rollups',
  'rolls up the days of every shape of traffic, in every state of its rows',
)
  .addOption(
    numberOption('--events <count>', 'hits of each shape; 300,000, embedded 60,000', [1_000, 100_000_000]),
  )
  .addOption(new Option('--shape <shapes...>', 'only these').choices(SHAPE_NAMES).default(SHAPE_NAMES, 'all'))
  .parse()

await withCleanup(async () => {
  const { shape: names, ...options } = command.opts<Options>()
  const hits = options.events ?? (isEmbedded(options) ? 60_000 : 300_000)
  const filler = await startFiller(options)
  const { service } = filler
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS

  const usage = async () =>
    usageOf(service.pid, { ...(await processesBeside(service)), import: [process.pid] })

  const rows: string[][] = []
  const tooSlow: string[] = []
  for (const [index, name] of names.entries()) {
    const domain = `${name}.bench.example`
    const start = today - (index + 1) * MONTH_MS
    const visits = { hits, from: start, shape: { ...SHAPES[name], days: DAYS }, hostname: domain, seed: 1 }
    const [startedAt, usedBefore] = [performance.now(), await usage()]
    const { siteNo } = await filler.whileRollingUp(onWritten =>
      // Fresh rows must have no statistics: a range without chunks prevents ANALYZE.
      filler.fill(visits, ({ until }: Written) => onWritten({ from: NEVER, to: NEVER, until })),
    )
    const seconds = secondsSince(startedAt)
    const used = usedBetween(usedBefore, await usage())
    const cpu = (role: string) => figure((1_000 * (used.get(role) ?? 0)) / hits)
    for (const state of STATES) {
      await settle(service.db, state, new Date())
      const window = { start, end: start + DAYS * DAY_MS }
      const site = { siteNo, zone: 'UTC' }
      const { days, worst, worstDay, ...rolled } = await measureRollups(service.db, site, window)
      const ratio = worst / rolled.median
      if (ratio > LIMIT) tooSlow.push(`${name}, ${state}: × ${figure(ratio)}`)
      const imported =
        state === 'fresh' ? [figure(hits / seconds), cpu('import'), cpu('database')] : ['', '', '']
      rows.push([
        `${name}, ${state}`,
        ...imported,
        String(days),
        figure(rolled.median),
        figure(worst),
        `× ${figure(ratio)}`,
        figure(worstDay.hits),
      ])
    }
  }
  const head = [
    'shape, state',
    'imported/s',
    'import CPU s/1,000',
    'database CPU s/1,000',
    'days',
    'median ms/1,000',
    'worst',
    'worst ÷ median',
    "worst day's hits",
  ]
  process.stdout.write(
    `${machineLine(new Date())}\n${figure(hits)} hits of each shape in ${DAYS} days. At the end ${loadLine()}.\n\n` +
      `${formatTable(head, rows)}\n`,
  )
  if (tooSlow.length > 0)
    throw new Error(
      `the worst day took more than ${LIMIT} times as long as the median one: ${tooSlow.join('; ')}`,
    )
})
