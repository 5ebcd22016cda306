import { execFile, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { needed } from './needs.ts'
import { unprivileged } from './postgres-servers.ts'
import { childrenOf } from './processes.ts'
import { eventually } from './service.ts'

interface Server {
  data: string
  port: number
}

export interface CitusServer {
  port: number
  /** Ends it as a crash of its machine would. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops all its processes while `during` runs: connections stay, and nothing answers. */
  whileStopped(during: () => Promise<unknown>): Promise<void>
}

export interface CitusCluster {
  /** Of the coordinator, which has the empty database `analytics`. */
  url: string
  coordinator: CitusServer
  workers: CitusServer[]
  close(): Promise<void>
}

/**
 * Starts a coordinator and two workers.
 * @param ports of the coordinator and the workers
 */
export async function startCitus(folder: string, ports: [number, number, number]): Promise<CitusCluster> {
  const user = await unprivileged()
  mkdirSync(folder, { recursive: true })
  if (user) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, 0o700)
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(join(needed('citus'), program), args, { ...user, cwd: folder })

  async function start({ data, port }: Server) {
    const child = spawn(join(needed('citus'), 'postgres'), ['-D', data, '-p', String(port)], {
      ...user,
      cwd: folder,
      stdio: 'ignore',
      detached: true,
    })
    child.unref()
    await eventually(() =>
      run('pg_isready', '-h', '127.0.0.1', '-p', String(port)).then(
        () => true,
        () => false,
      ),
    )
  }

  async function create(name: string, port: number): Promise<Server> {
    const server = { data: join(folder, name), port }
    await run('initdb', '-D', server.data, '-U', 'postgres', '--auth=trust')
    appendFileSync(join(server.data, 'postgresql.conf'), settings(folder).join('\n'))
    await start(server)
    await run('createdb', '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', 'analytics')
    return server
  }

  const servers = await Promise.all(
    ports.map((port, index) => create(index === 0 ? 'coordinator' : `worker-${index}`, port)),
  )
  const url = urlOf(ports[0])
  await joinServers(ports)
  const stop = ({ data }: Server, mode: string) => run('pg_ctl', '-D', data, 'stop', '-m', mode, '-W')
  const [coordinator, ...workers] = servers.map(server => ({
    port: server.port,
    kill: async () => void (await stop(server, 'immediate')),
    start: () => start(server),
    whileStopped: (during: () => Promise<unknown>) => whileStopped(server, during),
  }))
  return {
    url,
    coordinator: coordinator!,
    workers,
    async close() {
      for (const server of servers) await stop(server, 'immediate').catch(() => {})
    },
  }
}

async function whileStopped({ data }: Server, during: () => Promise<unknown>): Promise<void> {
  const postmaster = Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10)
  // The one that starts others first.
  const stopped = [postmaster]
  process.kill(postmaster, 'SIGSTOP')
  try {
    for (const pid of await childrenOf(postmaster)) {
      stopped.push(pid)
      signal(pid, 'SIGSTOP')
    }
    await during()
  } finally {
    for (const pid of stopped) signal(pid, 'SIGCONT')
  }
}

/** A process of a connection may have ended meanwhile. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/analytics`

const settings = (folder: string) => [
  `unix_socket_directories = '${folder}'`,
  "listen_addresses = '127.0.0.1'",
  "shared_preload_libraries = 'citus'",
  'max_connections = 300',
  'max_prepared_transactions = 300',
  'wal_level = logical',
  // A shard is moved with logical replication.
  'max_replication_slots = 40',
  'max_wal_senders = 40',
  'max_worker_processes = 40',
  'max_logical_replication_workers = 20',
  // Two groups of shards on each worker: moving all of one takes seconds.
  'citus.shard_count = 4',
  'citus.enable_statistics_collection = off',
  // Without it libpq looks for certificates in the home folder of whoever started the test.
  "citus.node_conninfo = 'sslmode=disable'",
  '',
]

/** Makes one database of three: the way of an administrator of Citus. */
async function joinServers(ports: number[]): Promise<void> {
  for (const port of ports) await command(port, 'create extension citus')
  const [coordinator, ...workers] = ports as [number, ...number[]]
  await command(coordinator, `select citus_set_coordinator_host('127.0.0.1', ${coordinator})`)
  for (const port of workers) await command(coordinator, `select citus_add_node('127.0.0.1', ${port})`)
}

async function command(port: number, text: string): Promise<void> {
  const sql = postgres(urlOf(port), { max: 1, onnotice: () => {} })
  await sql.unsafe(text)
  await sql.end()
}
