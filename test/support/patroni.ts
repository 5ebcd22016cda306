import { execFile, spawn } from 'node:child_process'
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { endWithWorker, noLongerWithWorker } from './end-with-worker.ts'
import { newFolder } from './folders.ts'
import { needed } from './needs.ts'
import { unprivileged } from './postgres-servers.ts'
import { childrenOf } from './processes.ts'
import { eventually, freePort } from './service.ts'

const run = promisify(execFile)

export interface PatroniCluster {
  /** Names both servers: connections go to the one that takes writes. */
  url: string
  members: readonly Pick<Member, 'name' | 'port' | 'restPort'>[]
  /** The port of the server that takes writes. @throws Error while there is none */
  leaderPort(): Promise<number>
  /** Ends PostgreSQL and Patroni of the leader at once, as the loss of its machine would. */
  killLeader(): Promise<void>
  close(): Promise<void>
}

interface Member {
  name: string
  port: number
  restPort: number
  data: string
  pid: number
}

/** Two PostgreSQL with TimescaleDB under Patroni in synchronous mode, and an etcd that knows which one leads. */
export async function patroniCluster(): Promise<PatroniCluster> {
  const user = await unprivileged()
  const { folder, remove } = newFolder('patroni')
  if (user) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, 0o700)
  const pids = new Set<number>()

  function start(program: string, args: string[]): number {
    const child = spawn(program, args, {
      ...user,
      cwd: folder,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, HOME: folder },
    })
    child.unref()
    pids.add(child.pid!)
    endWithWorker([child.pid!])
    return child.pid!
  }

  const [etcdPort, peerPort] = [await freePort(), await freePort()]
  const etcd = `http://127.0.0.1:${etcdPort}`
  start(needed('etcd'), [
    ...['--data-dir', join(folder, 'etcd')],
    ...['--listen-client-urls', etcd, '--advertise-client-urls', etcd],
    ...['--listen-peer-urls', `http://127.0.0.1:${peerPort}`],
  ])
  await eventually(() => answers(`${etcd}/health`))

  async function startMember(name: string): Promise<Member> {
    const member = { name, port: await freePort(), restPort: await freePort(), data: join(folder, name) }
    const file = join(folder, `${name}.yml`)
    writeFileSync(file, JSON.stringify(settingsOf(member, { folder, etcdPort })))
    return { ...member, pid: start(needed('patroni'), [file]) }
  }
  const members = [await startMember('one')]
  await eventually(() => answers(`${restOf(members[0]!)}/primary`), 60_000)
  members.push(await startMember('two'))
  await eventually(() => answers(`${restOf(members[1]!)}/synchronous`), 60_000)
  await run(join(needed('timescaledb'), 'createdb'), [
    ...['-h', '127.0.0.1', '-p', String(members[0]!.port), '-U', 'postgres', 'analytics'],
  ])

  async function leader(): Promise<Member> {
    for (const member of members) if (await answers(`${restOf(member)}/primary`)) return member
    throw new Error('no server leads')
  }
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    url: `postgres://postgres@${hosts}/analytics?target_session_attrs=read-write`,
    members,
    leaderPort: async () => (await leader()).port,
    killLeader: async () => killMachine(await leader()),
    async close() {
      // Patroni first: it would start its server again.
      for (const pid of pids) {
        noLongerWithWorker(pid)
        kill([pid])
      }
      for (const member of members) await killMachine(member)
      remove()
    },
  }
}

const restOf = ({ restPort }: Member) => `http://127.0.0.1:${restPort}`

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    ({ ok }) => ok,
    () => false,
  )

/** JSON is YAML, too. */
function settingsOf(
  member: Omit<Member, 'pid'>,
  { folder, etcdPort }: { folder: string; etcdPort: number },
): object {
  const at = (port: number) => `127.0.0.1:${port}`
  return {
    scope: 'analytics',
    name: member.name,
    restapi: { listen: at(member.restPort), connect_address: at(member.restPort) },
    etcd3: { hosts: at(etcdPort) },
    bootstrap: {
      dcs: {
        ttl: 8,
        loop_wait: 1,
        retry_timeout: 3,
        synchronous_mode: true,
        postgresql: {
          parameters: {
            shared_preload_libraries: 'timescaledb',
            'timescaledb.telemetry_level': 'off',
            hot_standby_feedback: 'on',
            max_connections: 200,
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { 'auth-host': 'trust' }, { 'auth-local': 'trust' }],
    },
    postgresql: {
      listen: at(member.port),
      connect_address: at(member.port),
      data_dir: member.data,
      bin_dir: needed('timescaledb'),
      pgpass: join(folder, `${member.name}.pgpass`),
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
      },
      parameters: { unix_socket_directories: folder },
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    },
  }
}

/** Kills Patroni, the server and all its processes, without a word to any other. */
async function killMachine({ pid, data }: Member): Promise<void> {
  const postmaster = postmasterOf(data)
  const processes = postmaster === undefined ? [] : [postmaster, ...(await childrenOf(postmaster, ''))]
  kill([pid, ...processes])
}

function postmasterOf(data: string): number | undefined {
  try {
    return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  } catch {
    return undefined
  }
}

function kill(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended before.
    }
  }
}
