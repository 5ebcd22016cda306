import { Option } from 'commander'
import { DAY_MS } from '../../src/platform/lib/time.ts'
import { day } from '../options.ts'
import { secondsSince } from '../progress.ts'
import { type Check, checkSite, requireEqual } from './check.ts'
import { benchCommand, numberOption, withCleanup } from './command.ts'
import { fillMoney } from './fill-money.ts'
import { STATES, type State, settle, startFiller } from './filler.ts'
import { isEmbedded, LARGE_SITE, type Target } from './service.ts'
import { SHAPE_NAMES, SHAPES, type Shape, type ShapeName } from './shapes.ts'
import { figure, formatTable, machineLine } from './table.ts'
import type { Visits } from './visits.ts'

// Fills an empty database with one large site and thirty small sites, through the pipeline, and checks that the data is
// consistent. The same options generate the same hits.

const SMALL_SITES = 30
/** Hits of a small site per hit of the large site. */
const SMALL_SHARE = 1 / 500

interface Options extends Target {
  events?: number
  until?: string
  seed: number
  shape: ShapeName
  state: State
}

const command = benchCommand('seed', 'fills an empty database with made-up visits')
  .addOption(
    numberOption(
      '--events <count>',
      'hits of the large site; 1,000,000, embedded 200,000',
      [100, 100_000_000],
    ),
  )
  .option('--until <date>', 'last day, UTC; yesterday unless given', day)
  .addOption(numberOption('--seed <number>', 'of the random numbers', [0, 999_999]).default(1))
  .addOption(
    new Option('--shape <shape>', 'what the traffic looks like; docs/performance.md says')
      .choices(SHAPE_NAMES)
      .default('mixed'),
  )
  .addOption(
    new Option('--state <state>', 'how much is in the columnstore; fresh rows have no statistics')
      .choices(STATES)
      .default('compressed'),
  )
  .parse()

await withCleanup(async () => {
  const { seed, state, ...options } = command.opts<Options>()
  const shape = SHAPES[options.shape]
  if (options.data === undefined) throw new Error('say where to: --data postgres://… or --data <folder>')
  const events = options.events ?? (isEmbedded(options) ? 200_000 : 1_000_000)
  const end = options.until ? Date.parse(options.until) + DAY_MS : Math.floor(Date.now() / DAY_MS) * DAY_MS
  if (end > Date.now()) throw new Error('--until must be a day that is over')
  const from = end - shape.days * DAY_MS
  const dates = { from: dateOf(from), to: dateOf(end - DAY_MS) }

  const filler = await startFiller(options)
  const { service } = filler
  const startedAt = performance.now()
  const names = [
    ...Array.from({ length: SMALL_SITES }, (_, index) => `small-${index + 1}.bench.example`),
    LARGE_SITE,
  ]
  const filled: { domain: string; siteId: string; siteNo: number; hits: number; seconds: number }[] = []
  await filler.whileRollingUp(async onWritten => {
    for (const [index, domain] of names.entries()) {
      const fillStartedAt = performance.now()
      const hits = domain === LARGE_SITE ? events : Math.max(100, Math.round(events * SMALL_SHARE))
      const visits: Visits = { hits, from, shape, hostname: domain, seed: seed + index }
      const site = await filler.fill(visits, state === 'compressed' ? onWritten : undefined)
      await fillMoney(service, site, { ...moneyOf(shape, hits), seed: seed + index, until: end })
      filled.push({ ...site, domain, hits, seconds: secondsSince(fillStartedAt) })
    }
  })
  await settle(service.db, state, new Date())
  const seconds = secondsSince(startedAt)

  const checks: Check[] = []
  for (const { siteId, siteNo, hits, domain } of [filled.at(-1)!, filled[0]!]) {
    const found = await checkSite(service, { siteId, siteNo, hits, ...dates })
    checks.push(...found.map(check => ({ ...check, what: `${domain}: ${check.what}` })))
  }
  const large = filled.at(-1)!
  process.stdout.write(
    `${machineLine(new Date())}\n${dates.from} to ${dates.to}: ${figure(large.hits)} hits of ${LARGE_SITE} at ` +
      `${figure(large.hits / large.seconds)}/s, ${SMALL_SITES} small sites beside it, ${figure(seconds)} s in all\n\n` +
      `${formatTable(
        ['check', 'stored', 'recounted', ''],
        checks.map(({ what, stored, recounted }) => [
          what,
          String(stored),
          String(recounted),
          stored === recounted ? 'equal' : 'DIFFERENT',
        ]),
      )}\n`,
  )
  requireEqual(checks)
})

function moneyOf(shape: Shape, hits: number): { payments: number; subscriptions: number } {
  return {
    payments: Math.round(hits * shape.payments),
    subscriptions: Math.round(hits * shape.subscriptions),
  }
}

function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
