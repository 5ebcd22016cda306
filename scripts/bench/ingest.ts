import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Option } from 'commander'
import { wholeNumber } from '../options.ts'
import { openAccount } from './account.ts'
import { withCleanup } from './cleanup.ts'
import { loadLine, machineLine } from './machine.ts'
import { type IngestRun, measureFloor, measureService, warmUp } from './measure-ingest.ts'
import { benchCommand, numberOption } from './options.ts'
import { FSYNC, type Fsync, settleRedis } from './redis.ts'
import { sentHits } from './senders.ts'
import { startService } from './service.ts'
import { figure, formatTable, median } from './table.ts'
import { prepareWrk, requireWrk } from './wrk.ts'

// Sends pageviews as fast as they are answered, limits on, and waits until they are stored; beside it, in the same run,
// what bare servers do that only parse the body.

interface Options {
  data?: string
  redis?: string
  seconds: number
  connections: number[]
  rounds: number
  workers: number
  ingest: number
  fsync?: Fsync
  addresses: number
}

const SUBJECTS = ['bare node:http', 'bare Express', 'service'] as const
type Subject = (typeof SUBJECTS)[number]
const ROLES = ['http', 'ingest', 'redis', 'database', 'primary']

const command = benchCommand('ingest', 'measures how fast hits are accepted and stored')
  .addOption(numberOption('--seconds <count>', 'of each load', [1, 600]).default(10))
  .addOption(
    new Option('--connections <counts>', 'one load each, separated by commas')
      .argParser(value => value.split(',').map(wholeNumber(2, 10_000)))
      .default([64, 256]),
  )
  .addOption(numberOption('--rounds <count>', 'of which medians are shown', [1, 99]).default(3))
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
  .parse()

await withCleanup(async onEnd => {
  const options = command.opts<Options>()
  await requireWrk()
  const { workers, addresses } = options
  const settings = {
    TRUST_PROXY: '1',
    HTTP_WORKERS: String(workers),
    INGEST_PROCESSES: String(options.ingest),
  }
  const service = await startService({ data: options.data, redis: options.redis }, settings, onEnd)
  const redis = await settleRedis(service, options.fsync)
  const { api } = await openAccount(service, onEnd)
  const domain = `ingest-${Date.now()}.bench.example`
  const site = await api<{ id: string; tracking_key: string }>('POST', '/api/sites', { domain })
  onEnd(() => api('DELETE', `/api/sites/${site.id}`))
  const folder = mkdtempSync(join(tmpdir(), 'analytics-bench-wrk-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  const hits = { key: site.tracking_key, count: 50_000, addresses, visitors: 25_000, seed: 1 }
  const send = prepareWrk(folder, sentHits(hits))

  process.stdout.write(
    `${machineLine(new Date())}\n${workers} HTTP workers, ${options.ingest} ingest, ` +
      `${service.isEmbedded ? 'embedded TimescaleDB' : 'TimescaleDB server'}, appendfsync ${redis.fsync}, ` +
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
        service: () => measureService(service, redis.pid, send, load),
      }
      for (const subject of SUBJECTS) {
        const key = keyOf(subject, connections)
        runs.set(key, [...(runs.get(key) ?? []), await measure[subject]()])
      }
    }
  }
  process.stdout.write(`At the end ${loadLine()}.\n\n${tableOf(runs, options.connections)}\n`)
})

function keyOf(subject: Subject, connections: number): string {
  return `${subject}, ${connections} connections`
}

function tableOf(runs: Map<string, IngestRun[]>, connections: number[]): string {
  const middle = (key: string, value: (run: IngestRun) => number | undefined) =>
    median(runs.get(key)!.map(run => value(run) ?? Number.NaN))
  const columns: [name: string, value: (run: IngestRun) => number | undefined][] = [
    ['accepted/s', run => run.acceptedPerSecond],
    ['stored/s', run => run.storedPerSecond],
    ['p50 ms', run => run.wrk.p50Ms],
    ['p99 ms', run => run.wrk.p99Ms],
    ['refused', run => run.wrk.refused + run.wrk.broken],
    ['CPU s/1,000', run => [...run.cpu.values()].reduce((sum, seconds) => sum + seconds, 0)],
    ...ROLES.map((role): [string, (run: IngestRun) => number | undefined] => [
      role,
      run => run.cpu.get(role),
    ]),
  ]
  const lines = connections.flatMap(count => {
    const cells = (subject: Subject) => columns.map(([, value]) => middle(keyOf(subject, count), value))
    const service = cells('service')
    const ratio = (floor: Subject) => {
      const below = cells(floor)
      return [`  service / ${floor}`, ...columns.map((_, index) => ratioOf(service[index]!, below, index))]
    }
    return [
      ...SUBJECTS.map(subject => [keyOf(subject, count), ...cells(subject).map(figure)]),
      ratio('bare node:http'),
      ratio('bare Express'),
    ]
  })
  return formatTable(['server', ...columns.map(([name]) => name)], lines)
}

/** Stored hits are held against what the floor accepts: it stores none. */
function ratioOf(value: number, floor: number[], index: number): string {
  const below = index === 1 ? floor[0]! : floor[index]!
  return index > 5 || index === 4 ? '' : `× ${figure(value / below)}`
}
