import { Option } from 'commander'
import { wholeNumber } from '../options.ts'
import { benchCommand, numberOption, withCleanup } from './command.ts'
import { measureSites, type SitesFigures } from './measure-sites.ts'
import { isEmbedded, type Target } from './service.ts'
import { figure, formatTable, machineLine } from './table.ts'

// Fills a database for each number of sites, and measures what might grow with all sites instead of the active ones.

interface Options extends Target {
  sites: number[]
  sessions: number
  idle: number
}

const command = benchCommand('sites', 'measures what many sites cost when few of them are active')
  .addOption(
    new Option('--sites <counts>', 'numbers of sites, ten to a team; the first is the measure of the others')
      .argParser(value => value.split(',').map(wholeNumber(1_000, 100_000)))
      .default([1_000, 10_000]),
  )
  .addOption(
    numberOption(
      '--sessions <count>',
      'of the largest number of sites; smaller ones have fewer in proportion',
      [10_000, 100_000_000],
    ).default(5_000_000),
  )
  .addOption(numberOption('--idle <seconds>', 'how long the idle service is watched', [5, 600]).default(60))
  .parse()

await withCleanup(async () => {
  const { sites, sessions, idle, ...target } = command.opts<Options>()
  if (isEmbedded(target)) throw new Error('say where to: --data postgres://…')
  process.stdout.write(`${machineLine(new Date())}\n`)
  const columns: SitesFigures[] = []
  for (const count of sites) {
    const share = Math.round((sessions * count) / Math.max(...sites))
    columns.push(await measureSites(target, { sites: count, sessions: share, idleSeconds: idle }))
  }
  const names = [...new Set(columns.flatMap(column => [...column.keys()]))]
  const rows = names.map(name => {
    const values = columns.map(column => column.get(name))
    const growth = values
      .slice(1)
      .map(value => `× ${figure((value ?? Number.NaN) / (values[0] ?? Number.NaN))}`)
    return [name, ...values.map(figure), ...growth]
  })
  const head = [...sites.map(count => `${figure(count)} sites`), ...sites.slice(1).map(() => 'growth')]
  process.stdout.write(`\n${formatTable(['what', ...head], rows)}\n`)
})
