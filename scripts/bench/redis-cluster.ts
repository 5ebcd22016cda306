import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { poll } from '../../src/platform/lib/retry.ts'
import { connectPatientRedis, whenReady } from '../../src/platform/redis/connect-redis.ts'
import { createLog } from '../../src/platform/runtime/log.ts'
import { freePort } from './child.ts'
import { onEnd } from './command.ts'

const SLOTS = 16_384
const READY_WITHIN_MS = 15_000

/**
 * Starts a Redis Cluster whose masters have equal shares and no replicas. They are ended at the end.
 * @param fsync their `appendfsync`
 * @returns its `REDIS_URL`
 */
export async function startCluster(masters: number, fsync: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'analytics-bench-redis-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  const nodes: { port: number; bus: number }[] = []
  for (let index = 0; index < masters; index++) nodes.push(await startMaster(folder, fsync))
  const log = createLog({ level: 'error', role: 'bench', stderr: true })
  const servers = nodes.map(({ port }) => connectPatientRedis(`redis://127.0.0.1:${port}`, log))
  await Promise.all(servers.map(server => whenReady(server, READY_WITHIN_MS)))
  for (const [index, server] of servers.entries()) {
    const [from, end] = [index, index + 1].map(share => Math.floor((share * SLOTS) / masters))
    await server.call('cluster', 'addslotsrange', from!, end! - 1)
    if (index > 0) await server.call('cluster', 'meet', '127.0.0.1', nodes[0]!.port, nodes[0]!.bus)
  }
  const isKnown = (state: unknown) =>
    String(state).includes('cluster_state:ok') && String(state).includes(`cluster_known_nodes:${masters}\r`)
  const giveUpAt = performance.now() + READY_WITHIN_MS
  await poll(50, async () => {
    if (performance.now() > giveUpAt) throw new Error('the masters do not find each other')
    const states = await Promise.all(servers.map(server => server.call('cluster', 'info')))
    return states.every(isKnown) ? true : undefined
  })
  for (const server of servers) server.disconnect()
  return `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
}

async function startMaster(folder: string, fsync: string): Promise<{ port: number; bus: number }> {
  const [port, bus] = [await freePort(), await freePort()]
  const child = spawn(
    'redis-server',
    [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
      ...['--appendonly', 'yes', '--appendfsync', fsync, '--appenddirname', `log-${port}`],
      ...['--maxmemory-policy', 'noeviction', '--cluster-enabled', 'yes', '--cluster-port', String(bus)],
      // A single node knows its address from nobody else.
      ...['--cluster-config-file', `nodes-${port}.conf`, '--cluster-announce-ip', '127.0.0.1'],
    ],
    { detached: true, stdio: 'ignore' },
  )
  onEnd(() => child.kill('SIGKILL'))
  return { port, bus }
}
