import { execFile, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connectRedis, whenReady } from '../../src/platform/redis/connect-redis.ts'
import { endWithWorker, noLongerWithWorker } from './end-with-worker.ts'
import { newFolder } from './folders.ts'
import { silentLog } from './log.ts'
import { eventually, freePort } from './service.ts'

const run = promisify(execFile)

export interface RedisServer {
  port: number
  pid: number
  /** Ends it as a crash would. */
  kill(): void
  /** Starts it again, with the data that it has left. */
  start(): Promise<void>
}

export interface RedisServers {
  servers: RedisServer[]
  url: string
  /** Runs `redis-cli` on a server. @returns what it printed */
  cli(server: RedisServer, ...args: string[]): Promise<string>
  close(): Promise<void>
}

/** A real Redis Cluster on this machine: masters first, then one replica of each, if wanted. */
export async function redisCluster(masters: number, { hasReplicas = true } = {}): Promise<RedisServers> {
  const group = serverGroup()
  const count = masters * (hasReplicas ? 2 : 1)
  const servers = await Promise.all(
    Array.from({ length: count }, async () =>
      group.start([
        'cluster-enabled yes',
        'cluster-node-timeout 1000',
        // A replica that was cut off for long takes over, too: in a test there is no other.
        'cluster-replica-validity-factor 0',
        `cluster-port ${await freePort()}`,
      ]),
    ),
  )
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`)
  const replicas = hasReplicas ? 1 : 0
  const options = ['--cluster-replicas', String(replicas), '--cluster-yes']
  await run('redis-cli', ['--cluster', 'create', ...hosts, ...options])
  const roles = await Promise.all(servers.map(server => group.cli(server, 'role')))
  const url = `redis+cluster://${hosts.join(',')}`
  await eventually(async () => {
    const redis = connectRedis(url, silentLog)
    try {
      await whenReady(redis, 2_000)
      const states = await Promise.all(servers.map(server => group.cli(server, 'cluster', 'info')))
      const links = await Promise.all(servers.map(server => group.cli(server, 'info', 'replication')))
      const isLinked = links.every(
        text => text.includes('role:master') || text.includes('master_link_status:up'),
      )
      return isLinked && states.every(text => text.includes('cluster_state:ok'))
    } catch {
      return false
    } finally {
      redis.disconnect()
    }
  }, 30_000)
  const isMaster = (server: RedisServer) => roles[servers.indexOf(server)]!.startsWith('master')
  return {
    servers: [...servers].sort((a, b) => Number(isMaster(b)) - Number(isMaster(a))),
    url,
    cli: group.cli,
    close: group.close,
  }
}

/** A master, a replica of it, and three Sentinels that replace the master when two of them miss it. The last server is the replica. */
export async function redisWithSentinels(): Promise<RedisServers & { sentinels: RedisServer[] }> {
  const group = serverGroup()
  const master = await group.start([])
  const replica = await group.start([`replicaof 127.0.0.1 ${master.port}`])
  await eventually(async () =>
    (await group.cli(replica, 'info', 'replication')).includes('master_link_status:up'),
  )
  const sentinels = await Promise.all(
    Array.from({ length: 3 }, () =>
      group.start(
        [
          `sentinel monitor hits 127.0.0.1 ${master.port} 2`,
          'sentinel down-after-milliseconds hits 1000',
          'sentinel failover-timeout hits 5000',
        ],
        { isSentinel: true },
      ),
    ),
  )
  // A Sentinel hears of the others and of the replica through the master, with their next greeting.
  await eventually(async () => {
    const known = await Promise.all(
      sentinels.map(sentinel => group.cli(sentinel, 'sentinel', 'master', 'hits')),
    )
    return known.every(text => /num-slaves\n1\n/.test(text) && /num-other-sentinels\n2\n/.test(text))
  }, 30_000)
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    servers: [master, replica],
    sentinels,
    url: `redis+sentinel://${hosts}/hits`,
    cli: group.cli,
    close: group.close,
  }
}

/** A Redis as `REDIS_URL` names one, with its append-only file in a folder of its own. */
export async function singleRedis(): Promise<RedisServers & { server: RedisServer }> {
  const group = serverGroup()
  const server = await group.start([])
  const url = `redis://127.0.0.1:${server.port}`
  return { server, servers: [server], url, cli: group.cli, close: group.close }
}

/** Servers with a folder each, which are all ended and removed together. */
function serverGroup() {
  const { folder, remove } = newFolder('redis')
  const pids = new Set<number>()

  const cli = async (server: RedisServer, ...args: string[]) =>
    (await run('redis-cli', ['-p', String(server.port), ...args])).stdout

  async function launch(port: number, isSentinel: boolean): Promise<number> {
    const args = [join(folder, String(port), 'redis.conf'), ...(isSentinel ? ['--sentinel'] : [])]
    const child = spawn('redis-server', args, { detached: true, stdio: 'ignore' })
    child.unref()
    pids.add(child.pid!)
    endWithWorker([child.pid!])
    await eventually(() =>
      run('redis-cli', ['-p', String(port), 'ping']).then(
        ({ stdout }) => stdout.startsWith('PONG'),
        () => false,
      ),
    )
    return child.pid!
  }

  async function start(lines: string[], { isSentinel = false } = {}): Promise<RedisServer> {
    const port = await freePort()
    const own = join(folder, String(port))
    mkdirSync(own)
    const data = ['appendonly yes', 'appendfsync always', 'save ""', 'maxmemory-policy noeviction']
    writeFileSync(
      join(own, 'redis.conf'),
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${own}`,
        'logfile redis.log',
        ...(isSentinel ? [] : data),
        ...lines,
        '',
      ].join('\n'),
    )
    const server: RedisServer = {
      port,
      pid: await launch(port, isSentinel),
      kill() {
        process.kill(server.pid, 'SIGKILL')
      },
      async start() {
        server.pid = await launch(port, isSentinel)
      },
    }
    return server
  }

  return {
    start,
    cli,
    async close() {
      for (const pid of pids) {
        noLongerWithWorker(pid)
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // A test has ended it.
        }
      }
      remove()
    },
  }
}
