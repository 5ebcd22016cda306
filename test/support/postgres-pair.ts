import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { postgresServers, urlOf } from './postgres-servers.ts'
import { freePort } from './service.ts'

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
export async function postgresPair(options: { hasTimescale?: boolean } = {}): Promise<PostgresPair> {
  const servers = await postgresServers(options)
  const { run } = servers
  const primary = await servers.create('primary', [
    'hot_standby_feedback = on',
    "synchronous_standby_names = 'standby'",
    'max_connections = 200',
  ])
  await servers.start(primary)
  const standby = { data: join(servers.folder, 'standby'), port: await freePort() }
  const admin = urlOf(primary, 'postgres')
  await run('pg_basebackup', ['-d', admin, '-D', standby.data, '-R', '-C', '-S', 'standby'])
  appendFileSync(
    join(standby.data, 'postgresql.auto.conf'),
    `
    port = ${standby.port}
    primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres application_name=standby'
    synchronous_standby_names = ''
    `,
  )
  await servers.start(standby)
  await run('createdb', ['--maintenance-db', admin, 'analytics'])
  return {
    primaryUrl: urlOf(primary, 'analytics'),
    standbyUrl: urlOf(standby, 'analytics'),
    url: `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/analytics?target_session_attrs=read-write`,
    killPrimary: () => servers.kill(primary),
    promote: async () => void (await run('pg_ctl', ['promote', '-D', standby.data])),
    async withoutReplication(during) {
      const receiver = 'select pid from pg_stat_wal_receiver'
      const pid = Number(await run('psql', [urlOf(standby, 'postgres'), '-Atc', receiver]))
      process.kill(pid, 'SIGSTOP')
      try {
        await during()
      } finally {
        process.kill(pid, 'SIGCONT')
      }
    },
    close: servers.close,
  }
}
