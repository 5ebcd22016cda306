import postgres from 'postgres'
import { retry } from '../../src/platform/lib/retry.ts'

/** URLs of all servers that have a part of a test's database: one, or a coordinator of Citus and its workers. */
export async function serversBehind(server: string): Promise<string[]> {
  const nodes = await on(server, async sql => {
    const [citus] = await sql`select from pg_extension where extname = 'citus'`
    if (!citus) return []
    return sql<{ host: string; port: number; isWorker: boolean }[]>`
      select nodename as host, nodeport as port, groupid > 0 as "isWorker" from pg_dist_node order by groupid`
  })
  const workers = nodes.filter(({ isWorker }) => isWorker)
  return [server, ...workers.map(({ host, port }) => withHost(server, `${host}:${port}`))]
}

function withHost(server: string, host: string): string {
  const url = new URL(server)
  url.host = host
  return url.href
}

function withDatabase(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Creates an empty database; one of Citus has its workers. */
export async function createDatabase(servers: string[], name: string): Promise<void> {
  for (const server of servers)
    await on(server, async sql => {
      await alone(sql)
      await sql`create database ${sql(name)}`
    })
  if (servers.length === 1) return
  for (const server of servers) await on(withDatabase(server, name), sql => sql`create extension citus`)
  const [coordinator, ...workers] = servers.map(server => new URL(server))
  await on(withDatabase(servers[0]!, name), async sql => {
    await sql`select citus_set_coordinator_host(${coordinator!.hostname}, ${Number(coordinator!.port)})`
    for (const { hostname, port } of workers) await sql`select citus_add_node(${hostname}, ${Number(port)})`
  })
}

/** Lets nobody connect to a database that is copied: a background process that is connected would make the copy fail. */
export async function freeze(servers: string[], name: string): Promise<void> {
  for (const server of servers)
    await on(server, async sql => {
      await sql`alter database ${sql(name)} with allow_connections false`
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
    })
}

/** Copies a database on each of its servers: those of the copy know each other by the same addresses. */
export async function copyDatabase(servers: string[], template: string, name: string): Promise<void> {
  for (const server of servers)
    await on(server, async sql => {
      await alone(sql)
      // A background process may still be about to leave the template.
      await retry(() => sql`create database ${sql(name)} template ${sql(template)}`, {
        attempts: 50,
        delayMs: 100,
      })
      // Tests look at rows with joins that the service never makes.
      if (servers.length > 1) await sql`alter database ${sql(name)} set citus.enable_repartition_joins = on`
    })
}

export async function dropDatabase(servers: string[], name: string): Promise<void> {
  for (const server of servers)
    await on(server, async sql => {
      await alone(sql)
      await sql`drop database if exists ${sql(name)} with (force)`
    })
}

/** Keeps Citus from doing the same on the other servers. */
const alone = (sql: postgres.Sql) =>
  sql`select set_config('citus.enable_create_database_propagation', 'off', false)`

async function on<Result>(server: string, run: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
  const sql = postgres(server, { max: 1, onnotice: () => {}, connection: { application_name: 'test-setup' } })
  try {
    return await run(sql)
  } finally {
    await sql.end()
  }
}
