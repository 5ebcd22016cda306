import { execFile, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needed } from './needs.ts'
import { eventually, freePort } from './service.ts'

export interface PostgresPair {
  /** Of the database `analytics`, which is empty. */
  primaryUrl: string
  standbyUrl: string
  /** Names both servers: connections go to the one that takes writes. */
  url: string
  /** Ends the primary as a crash of its machine would. */
  killPrimary(): Promise<void>
  promote(): Promise<void>
  /** Runs `during` while the standby receives nothing, so that commits wait for it. */
  withoutReplication(during: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

/**
 * A primary and a hot standby of it. The primary answers a commit when the standby has it on its disk: what is committed is there
 * when the standby is promoted.
 * @param options.hasTimescale false: any PostgreSQL will do
 */
export async function postgresPair({ hasTimescale = true } = {}): Promise<PostgresPair> {
  const bin = needed(hasTimescale ? 'timescaledb' : 'postgres')
  const user = await unprivileged()
  const folder = mkdtempSync(join(tmpdir(), 'analytics-postgres-'))
  if (user) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, 0o700)
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(join(bin, program), args, { ...user, cwd: folder })
  const [primary, standby] = [
    { data: join(folder, 'primary'), port: await freePort() },
    { data: join(folder, 'standby'), port: await freePort() },
  ]
  type Server = typeof primary

  async function start({ data, port }: Server) {
    const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port)], {
      ...user,
      cwd: folder,
      stdio: 'ignore',
    })
    child.unref()
    await eventually(() =>
      run('pg_isready', '-h', '127.0.0.1', '-p', String(port)).then(
        () => true,
        () => false,
      ),
    )
  }
  const urlOf = ({ port }: Server) => `postgres://postgres@127.0.0.1:${port}/analytics`

  await run('initdb', '-D', primary.data, '-U', 'postgres', '--auth=trust')
  appendFileSync(
    join(primary.data, 'postgresql.conf'),
    [
      `unix_socket_directories = '${folder}'`,
      ...(hasTimescale
        ? ["shared_preload_libraries = 'timescaledb'", 'timescaledb.telemetry_level = off']
        : []),
      'hot_standby_feedback = on',
      "synchronous_standby_names = 'standby'",
      'max_connections = 200',
      '',
    ].join('\n'),
  )
  await start(primary)
  const adminOf = ({ port }: Server) => ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres']
  const admin = adminOf(primary)
  await run('pg_basebackup', ...admin, '-D', standby.data, '-R', '-C', '-S', 'standby')
  appendFileSync(
    join(standby.data, 'postgresql.auto.conf'),
    `\nprimary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres application_name=standby'\nsynchronous_standby_names = ''\n`,
  )
  await start(standby)
  await run('createdb', ...admin, 'analytics')
  return {
    primaryUrl: urlOf(primary),
    standbyUrl: urlOf(standby),
    url: `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/analytics?target_session_attrs=read-write`,
    killPrimary: async () => void (await run('pg_ctl', '-D', primary.data, 'stop', '-m', 'immediate', '-W')),
    promote: async () => void (await run('pg_ctl', '-D', standby.data, 'promote', '-w')),
    async withoutReplication(during) {
      const { stdout } = await run(
        'psql',
        ...adminOf(standby),
        '-Atc',
        'select pid from pg_stat_wal_receiver',
      )
      process.kill(Number(stdout), 'SIGSTOP')
      try {
        await during()
      } finally {
        process.kill(Number(stdout), 'SIGCONT')
      }
    },
    async close() {
      for (const { data } of [standby, primary]) {
        await run('pg_ctl', '-D', data, 'stop', '-m', 'immediate', '-w').catch(() => {})
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

/** PostgreSQL refuses to run as root: then the user `postgres` runs it. */
export async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const id = async (flag: string) => Number((await promisify(execFile)('id', [flag, 'postgres'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}
