import { availableParallelism } from 'node:os'
import { day } from '../options.ts'
import { withCleanup } from './cleanup.ts'
import { RANGES } from './endpoints.ts'
import { loadLine, machineLine } from './machine.ts'
import { measureReads, type ReadRow, type ReadsMeasured } from './measure-reads.ts'
import { benchCommand, numberOption } from './options.ts'
import { figure, formatTable } from './table.ts'

// Times the read endpoints on a seeded database, and optionally compares the times with those on a larger database.

interface Options {
  data?: string
  redis?: string
  against?: string
  until?: string
  calls: number
  patience: number
  workers: number
}

const command = benchCommand('reads', 'times every read endpoint on a database that bench:seed has filled')
  .option('--against <where>', 'a larger one, to see how times grow with the data')
  .option('--until <date>', 'last day of the ranges; that of the newest hit unless given', day)
  .addOption(numberOption('--calls <count>', 'warm calls of each', [3, 1_000]).default(20))
  .addOption(
    numberOption('--patience <seconds>', 'fewer calls, but three, when they take longer', [1, 600]).default(
      10,
    ),
  )
  .addOption(numberOption('--workers <count>', 'HTTP workers', [1, 256]).default(availableParallelism()))
  .parse()

await withCleanup(async onEnd => {
  const { data, redis, against, until, calls, patience, workers } = command.opts<Options>()
  if (data === undefined) throw new Error('say what is read: --data postgres://… or --data <folder>')
  const options = { until, calls, patienceMs: patience * 1_000, workers }
  process.stdout.write(`${machineLine(new Date())}\n`)
  const measured: ReadsMeasured[] = []
  for (const place of against === undefined ? [data] : [data, against]) {
    measured.push(await measureReads({ data: place, redis }, options, onEnd))
  }
  const notes = measured.map(({ hits, until }) => `${figure(hits)} hits in the 90 days to ${until}`)
  process.stdout.write(
    `${notes.join('; then ')} (log rows; engagement not counted). Milliseconds, median / p99 of ${calls} warm calls, ` +
      `one at a time; * of fewer. At the end ${loadLine()}.\n\n${tableOf(measured, calls)}\n\n${measured.at(-1)!.memory}\n`,
  )
})

function tableOf([base, larger]: ReadsMeasured[], calls: number): string {
  const lines: string[][] = []
  for (const [index, row] of base!.rows.entries()) {
    lines.push([row.name, ...cellsOf(row, calls)])
    const grown = larger?.rows[index]
    if (!grown) continue
    lines.push(
      ['  larger', ...cellsOf(grown, calls)],
      ['  growth', ...RANGES.map(range => growth(row, grown, range.name))],
    )
  }
  return formatTable(['read', ...RANGES.map(range => range.name)], lines)
}

function cellsOf({ timings }: ReadRow, calls: number): string[] {
  return RANGES.map(({ name }) => {
    const timing = timings.get(name)
    if (!timing) return '–'
    return `${figure(timing.median)} / ${figure(timing.p99)}${timing.calls < calls ? '*' : ''}`
  })
}

function growth(base: ReadRow, larger: ReadRow, range: string): string {
  const [timing, before] = [larger.timings.get(range), base.timings.get(range)]
  return timing && before ? `× ${figure(timing.median / before.median)}` : '–'
}
