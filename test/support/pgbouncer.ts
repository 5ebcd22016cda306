import { spawn } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { endWithWorker, noLongerWithWorker } from './end-with-worker.ts'
import { newFolder } from './folders.ts'
import { needed } from './needs.ts'
import { pgbouncerDatabases } from './pgbouncer-databases.ts'
import { unprivileged } from './postgres-servers.ts'
import { eventually, freePort } from './service.ts'

export interface PgBouncer {
  url: string
  /** Ends it as a crash would, and starts it again. */
  crash(): Promise<void>
  close(): Promise<void>
}

/** A PgBouncer in transaction mode in front of a server of `postgresPair`. */
export async function pgbouncer(serverUrl: string): Promise<PgBouncer> {
  const user = await unprivileged()
  const { folder, remove } = newFolder('pgbouncer')
  if (user) chownSync(folder, user.uid, user.gid)
  const port = await freePort()
  const server = new URL(serverUrl)
  const lines = [
    '[databases]',
    ...pgbouncerDatabases(`host=${server.hostname} port=${server.port} user=postgres`),
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 6',
    'max_client_conn = 500',
  ]
  writeFileSync(join(folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`)
  let pid = 0

  async function start(): Promise<void> {
    const child = spawn(needed('pgbouncer'), ['pgbouncer.ini'], { ...user, cwd: folder, stdio: 'ignore' })
    child.unref()
    pid = child.pid!
    endWithWorker([pid])
    await eventually(() => listens(port))
  }
  const kill = () => {
    noLongerWithWorker(pid)
    process.kill(pid, 'SIGKILL')
  }
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/analytics?pgbouncer=true`,
    async crash() {
      kill()
      await start()
    },
    async close() {
      kill()
      remove()
    },
  }
}

const listens = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
