import { availableParallelism } from 'node:os'
import { Option } from 'commander'
import { wholeNumber } from '../options.ts'
import { benchCommand, numberOption, onEnd, withCleanup } from './command.ts'
import { INGEST_COLUMNS, ROLES } from './ingest-columns.ts'
import { type IngestRun, measureFloor, measureService, measureSteady, warmUp } from './measure-ingest.ts'
import { type IngestOptions, measureMasters } from './measure-masters.ts'
import { sentHits } from './senders.ts'
import { FSYNC, memoryLine, settleRedis, startService } from './service.ts'
import { figure, formatTable, loadLine, machineLine, median } from './table.ts'
import { prepareWrk, requireWrk, sentLine, type WrkResult } from './wrk.ts'

// Sends pageviews as fast as the service answers, with rate limits, and waits until they are stored. The same run
// measures bare servers that only parse the body.

interface Options extends IngestOptions {
  rate?: number
  masters?: number[]
}

const SUBJECTS = ['bare node:http', 'bare Express', 'service'] as const
type Subject = (typeof SUBJECTS)[number]

const command = benchCommand('ingest', 'measures how fast hits are accepted and stored')
  .addOption(numberOption('--seconds <count>', 'of each load', [1, 600]).default(10))
  .addOption(
    new Option('--connections <counts>', 'one load each, separated by commas')
      .argParser(value => value.split(',').map(wholeNumber(2, 10_000)))
      .default([64, 256]),
  )
  .addOption(numberOption('--rounds <count>', 'their medians are shown', [1, 99]).default(3))
  .addOption(numberOption('--workers <count>', 'HTTP workers', [1, 256]).default(availableParallelism()))
  .addOption(numberOption('--ingest <count>', 'ingest processes', [1, 64]).default(1))
  .addOption(new Option('--fsync <when>', 'appendfsync of the private Redis').choices(FSYNC))
  .addOption(
    numberOption(
      '--addresses <count>',
      'that share the load; each may send 600 a minute',
      [1, 65_536],
    ).default(8_192),
  )
  .addOption(
    numberOption(
      '--rate <count>',
      'hits a second of the steady load at the end; half of stored/s',
      [1, 100_000],
    ),
  )
  .addOption(
    new Option(
      '--masters <counts>',
      'instead: one Redis beside clusters of so many masters, separated by commas',
    ).argParser(value => value.split(',').map(wholeNumber(1, 12))),
  )
  .parse()

await withCleanup(async () => {
  const { masters, ...options } = command.opts<Options>()
  await requireWrk()
  if (masters) return measureMasters(options, masters)
  const { workers, addresses } = options
  const settings = {
    TRUST_PROXY: '1',
    HTTP_WORKERS: String(workers),
    INGEST_PROCESSES: String(options.ingest),
  }
  const service = await startService(options, settings)
  const fsync = await settleRedis(service, options.fsync)
  const { api } = service
  const domain = `ingest-${Date.now()}.bench.example`
  const site = await api<{ id: string; tracking_key: string }>('POST', '/api/sites', { domain })
  onEnd(() => api('DELETE', `/api/sites/${site.id}`))
  const hits = { key: site.tracking_key, count: 50_000, addresses, visitors: 25_000, seed: 1 }
  const send = prepareWrk(sentHits(hits))

  process.stdout.write(
    `${machineLine(new Date())}\n${workers} HTTP workers, ${options.ingest} ingest, ` +
      `${service.isEmbedded ? 'embedded TimescaleDB' : 'TimescaleDB server'}, appendfsync ${fsync}, ` +
      `${figure(addresses)} addresses with limits on, ${options.seconds} s a load, median of ${options.rounds}\n`,
  )
  await warmUp(service, send)
  const runs = new Map<string, IngestRun[]>()
  for (let round = 0; round < options.rounds; round++) {
    for (const connections of options.connections) {
      const load = { connections, seconds: options.seconds, workers }
      const measure = {
        'bare node:http': () => measureFloor('node', send, load),
        'bare Express': () => measureFloor('express', send, load),
        service: () => measureService(service, send, load),
      }
      for (const subject of SUBJECTS) {
        const key = keyOf(subject, connections)
        runs.set(key, [...(runs.get(key) ?? []), await measure[subject]()])
      }
    }
  }
  const stored = [...runs.values()].flat().map(run => run.storedPerSecond ?? 0)
  const rate = options.rate ?? Math.max(1, Math.round(Math.max(...stored) / 2))
  const steady = await measureSteady(service, send, { rate, seconds: options.seconds })
  process.stdout.write(
    `At the end ${loadLine()}.\n\n${tableOf(runs, options.connections)}\n\n` +
      `${steadyLine(rate, steady)}\n${await memoryLine(service)}\n`,
  )
})

function steadyLine(rate: number, sent: WrkResult & Pick<IngestRun, 'cpu'> & { waiting: number }): string {
  const cpu = ROLES.map(role => `${role} ${figure(sent.cpu.get(role) ?? 0)}`).join(', ')
  return (
    `Steadily ${figure(rate)}/s: sent ${sentLine(sent)}, ${figure(sent.waiting)} waiting at the end; ` +
    `CPU s/1,000: ${cpu}`
  )
}

function keyOf(subject: Subject, connections: number): string {
  return `${subject}, ${connections} connections`
}

function tableOf(runs: Map<string, IngestRun[]>, connections: number[]): string {
  const middle = (key: string, value: (run: IngestRun) => number | undefined) =>
    median(runs.get(key)!.map(run => value(run) ?? Number.NaN))
  const lines = connections.flatMap(count => {
    const ratio = (floor: Subject) => [
      `  service / ${floor}`,
      ...INGEST_COLUMNS.map(({ value, floorValue = value, hasRatio }) => {
        const below = middle(keyOf(floor, count), floorValue)
        return hasRatio ? `× ${figure(middle(keyOf('service', count), value) / below)}` : ''
      }),
    ]
    return [
      ...SUBJECTS.map(subject => [
        keyOf(subject, count),
        ...INGEST_COLUMNS.map(({ value }) => figure(middle(keyOf(subject, count), value))),
      ]),
      ratio('bare node:http'),
      ratio('bare Express'),
    ]
  })
  return formatTable(['server', ...INGEST_COLUMNS.map(({ name }) => name)], lines)
}
