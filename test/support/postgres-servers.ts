import { execFile } from 'node:child_process'
import { appendFileSync, chownSync, mkdirSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { newFolder } from './folders.ts'
import { needed } from './needs.ts'
import { freePort } from './service.ts'

export interface PostgresServer {
  data: string
  port: number
}

/**
 * PostgreSQL servers of one test.
 * @param options.hasTimescale false: any PostgreSQL will do
 */
export async function postgresServers({ hasTimescale = true } = {}) {
  const bin = needed(hasTimescale ? 'timescaledb' : 'postgres')
  const user = await unprivileged()
  const { folder, remove } = newFolder('postgres')
  const own = (path: string) => user && chownSync(path, user.uid, user.gid)
  own(folder)

  /** Runs a program of PostgreSQL, or any other, in the folder, as the user that owns it. @returns what it printed */
  async function run(program: string, args: string[], environment?: NodeJS.ProcessEnv): Promise<string> {
    const path = `${bin}${delimiter}${process.env.PATH}`
    const env = { ...process.env, PATH: path, ...environment }
    return (await promisify(execFile)(program, args, { ...user, cwd: folder, env })).stdout
  }
  const stop = (data: string) => run('pg_ctl', ['stop', '-D', data, '-m', 'immediate'])

  return {
    folder,
    run,
    /** Makes an empty folder in it. @returns its path */
    makeFolder(name: string): string {
      const path = join(folder, name)
      mkdirSync(path, { mode: 0o700 })
      own(path)
      return path
    },
    /** Makes a server that takes everybody for the role `postgres`. @param settings lines of its configuration */
    async create(name: string, settings: string[]): Promise<PostgresServer> {
      const server = { data: join(folder, name), port: await freePort() }
      await run('initdb', ['-D', server.data, '-U', 'postgres', '--auth=trust'])
      const timescale = ["shared_preload_libraries = 'timescaledb'", 'timescaledb.telemetry_level = off']
      const place = [`port = ${server.port}`, `unix_socket_directories = '${folder}'`]
      const lines = [...place, ...(hasTimescale ? timescale : []), ...settings, '']
      appendFileSync(join(server.data, 'postgresql.conf'), lines.join('\n'))
      return server
    },
    start: ({ data }: PostgresServer) => run('pg_ctl', ['start', '-D', data, '-l', `${data}.log`]),
    /** Ends it as a crash of its machine would. */
    kill: async ({ data }: PostgresServer) => void (await stop(data)),
    /** Ends everything that runs in the folder, and removes it. */
    async close() {
      for (const name of readdirSync(folder)) await stop(join(folder, name)).catch(() => {})
      remove()
    },
  }
}

export const urlOf = ({ port }: PostgresServer, database: string) =>
  `postgres://postgres@127.0.0.1:${port}/${database}`

/** PostgreSQL refuses to run as root: then the user `postgres` runs it. */
export async function unprivileged(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const id = async (flag: string) => Number((await promisify(execFile)('id', [flag, 'postgres'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}
