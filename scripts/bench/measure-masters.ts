import { onEnd } from './command.ts'
import { INGEST_COLUMNS } from './ingest-columns.ts'
import { type IngestRun, measureService, warmUp } from './measure-ingest.ts'
import { startCluster } from './redis-cluster.ts'
import { sentHits } from './senders.ts'
import { type Fsync, settleRedis, startService, type Target } from './service.ts'
import { figure, formatTable, loadLine, machineLine, median } from './table.ts'
import { prepareWrk } from './wrk.ts'

/** What is measured, with one Redis as with several masters. */
export interface IngestOptions extends Target {
  seconds: number
  connections: number[]
  rounds: number
  workers: number
  ingest: number
  fsync?: Fsync
  addresses: number
}

/** Measures the service with one private Redis, and with a Redis Cluster of each number of masters, one after the other. */
export async function measureMasters(options: IngestOptions, masters: readonly number[]): Promise<void> {
  const { fsync = 'always', workers, ingest, seconds, rounds, addresses } = options
  process.stdout.write(
    `${machineLine(new Date())}\n${workers} HTTP workers, ${ingest} ingest, appendfsync ${fsync}, ` +
      `${figure(addresses)} addresses with limits on, ${seconds} s a load, median of ${rounds}\n`,
  )
  const rows: string[][] = []
  for (const count of [undefined, ...masters]) {
    const name = count === undefined ? 'one Redis' : `cluster of ${count}`
    const { redis: _, ...target } = options
    const url = count === undefined ? undefined : await startCluster(count, fsync)
    rows.push(...(await measureRedis({ ...target, fsync, ...(url && { redis: url }) }, name)))
  }
  const table = formatTable(['Redis', ...INGEST_COLUMNS.map(({ name }) => name)], rows)
  process.stdout.write(`At the end ${loadLine()}.\n\n${table}\n`)
}

async function measureRedis(options: IngestOptions & { fsync: Fsync }, name: string): Promise<string[][]> {
  const { workers, ingest, seconds, addresses, fsync } = options
  const service = await startService(options, {
    TRUST_PROXY: '1',
    HTTP_WORKERS: String(workers),
    INGEST_PROCESSES: String(ingest),
  })
  await settleRedis(service, fsync)
  const domain = `ingest-${Date.now()}.bench.example`
  const site = await service.api<{ id: string; tracking_key: string }>('POST', '/api/sites', { domain })
  let isThere = true
  const remove = async () => {
    if (isThere) await service.api('DELETE', `/api/sites/${site.id}`)
    isThere = false
  }
  onEnd(remove)
  const hits = { key: site.tracking_key, count: 50_000, addresses, visitors: 25_000, seed: 1 }
  const send = prepareWrk(sentHits(hits))
  await warmUp(service, send)
  const rows: string[][] = []
  for (const connections of options.connections) {
    const runs: IngestRun[] = []
    for (let round = 0; round < options.rounds; round++) {
      runs.push(await measureService(service, send, { connections, seconds }))
    }
    const middle = INGEST_COLUMNS.map(({ value }) => median(runs.map(run => value(run) ?? Number.NaN)))
    rows.push([`${name}, ${connections} connections`, ...middle.map(figure)])
  }
  await remove()
  await service.stop()
  return rows
}
