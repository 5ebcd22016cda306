import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Option } from 'commander'
import { wholeNumber } from '../options.ts'
import { openAccount } from './account.ts'
import { withCleanup } from './cleanup.ts'
import { loadLine, machineLine } from './machine.ts'
import { type IngestRun, measureFloor, measureService, measureSteady, warmUp } from './measure-ingest.ts'
import { memoryLine } from './memory.ts'
import { benchCommand, numberOption } from './options.ts'
import { FSYNC, type Fsync, settleRedis } from './redis.ts'
import { sentHits } from './senders.ts'
import { startService } from './service.ts'
import { figure, formatTable, median } from './table.ts'
import { prepareWrk, requireWrk } from './wrk.ts'

// Sends pageviews as fast as the service answers, with rate limits, and waits until they are stored. The same run
// measures bare servers that only parse the body.

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
  rate?: number
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
  .addOption(
    numberOption(
      '--rate <count>',
      'hits a second of the steady load at the end; half of stored/s',
      [1, 100_000],
    ),
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
  const send = prepareWrk(folder, sentHits(hits), onEnd)

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
        'bare node:http': () => measureFloor('node', send, load, onEnd),
        'bare Express': () => measureFloor('express', send, load, onEnd),
        service: () => measureService(service, redis.pid, send, load),
      }
      for (const subject of SUBJECTS) {
        const key = keyOf(subject, connections)
        runs.set(key, [...(runs.get(key) ?? []), await measure[subject]()])
      }
    }
  }
  const stored = [...runs.values()].flat().map(run => run.storedPerSecond ?? 0)
  const rate = options.rate ?? Math.max(1, Math.round(Math.max(...stored) / 2))
  const steady = await measureSteady(service, site.tracking_key, { rate, seconds: options.seconds }, onEnd)
  process.stdout.write(
    `At the end ${loadLine()}.\n\n${tableOf(runs, options.connections)}\n\n` +
      `${steadyLine(rate, steady)}\n${memoryLine(service, redis.pid)}\n`,
  )
})

function steadyLine(rate: number, sent: Awaited<ReturnType<typeof measureSteady>>): string {
  const { perSecond, refused, p50Ms, p99Ms, waiting } = sent
  return (
    `Steadily ${figure(rate)}/s: sent ${figure(perSecond)}/s, ${figure(refused)} refused, answered in ` +
    `${figure(p50Ms)} ms (p99 ${figure(p99Ms)}), ${figure(waiting)} waiting at the end`
  )
}

function keyOf(subject: Subject, connections: number): string {
  return `${subject}, ${connections} connections`
}

function tableOf(runs: Map<string, IngestRun[]>, connections: number[]): string {
  const middle = (key: string, value: (run: IngestRun) => number | undefined) =>
    median(runs.get(key)!.map(run => value(run) ?? Number.NaN))
  const columns: Column[] = [
    { name: 'accepted/s', value: run => run.acceptedPerSecond, hasRatio: true },
    // Compared with the accepted hits of the floor, which stores none.
    {
      name: 'stored/s',
      value: run => run.storedPerSecond,
      floorValue: run => run.acceptedPerSecond,
      hasRatio: true,
    },
    { name: 'waiting', value: run => run.waiting },
    { name: 'p50 ms', value: run => run.wrk.p50Ms, hasRatio: true },
    { name: 'p99 ms', value: run => run.wrk.p99Ms, hasRatio: true },
    { name: 'refused', value: run => run.wrk.refused + run.wrk.broken },
    {
      name: 'CPU s/1,000',
      value: run => [...run.cpu.values()].reduce((sum, seconds) => sum + seconds, 0),
      hasRatio: true,
    },
    ...ROLES.map((role): Column => ({ name: role, value: run => run.cpu.get(role) })),
  ]
  const lines = connections.flatMap(count => {
    const ratio = (floor: Subject) => [
      `  service / ${floor}`,
      ...columns.map(({ value, floorValue = value, hasRatio }) => {
        const below = middle(keyOf(floor, count), floorValue)
        return hasRatio ? `× ${figure(middle(keyOf('service', count), value) / below)}` : ''
      }),
    ]
    return [
      ...SUBJECTS.map(subject => [
        keyOf(subject, count),
        ...columns.map(({ value }) => figure(middle(keyOf(subject, count), value))),
      ]),
      ratio('bare node:http'),
      ratio('bare Express'),
    ]
  })
  return formatTable(['server', ...columns.map(({ name }) => name)], lines)
}

interface Column {
  name: string
  value: (run: IngestRun) => number | undefined
  /** The floor's value for the ratio, when it is a different one. */
  floorValue?: (run: IngestRun) => number | undefined
  hasRatio?: boolean
}
