import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** What a suite needs that not every machine has. */
export interface Need {
  what: string
  /** A program, or a folder of programs; undefined where the machine lacks it. */
  path: string | undefined
  /** Brings it on Debian. */
  command: string
}

/** The names that stand behind `@needs` in the head comment of a test file. */
export type NeedName = 'postgres' | 'timescaledb' | 'citus' | 'pgbouncer' | 'haproxy' | 'patroni' | 'etcd'

const DEBIAN = '/usr/lib/postgresql'

const need = (what: string, path: string | undefined, command: string): Need => ({ what, path, command })
const debian = (program: string, name = program): Need =>
  need(program, programOf(program), `apt-get install ${name}`)

export const NEEDS: Record<NeedName, Need> = {
  postgres: need('a PostgreSQL server', postgresBin(), 'apt-get install postgresql'),
  timescaledb: need(
    'PostgreSQL with TimescaleDB',
    postgresBin('timescaledb'),
    'apt-get install timescaledb-2-postgresql-15, from the packages of Timescale, or TEST_POSTGRES_BIN=<folder of its programs>',
  ),
  citus: need(
    'PostgreSQL with Citus',
    postgresBin('citus'),
    'apt-get install postgresql-15-citus-13.2, from the packages of Citus, or TEST_POSTGRES_BIN=<folder of its programs>',
  ),
  pgbouncer: debian('pgbouncer'),
  haproxy: debian('haproxy'),
  patroni: debian('patroni'),
  etcd: debian('etcd', 'etcd-server'),
}

/** Returns the path of something that the suite's head comment names as needed. @throws Error when the machine lacks it */
export function needed(name: NeedName): string {
  const { what, path, command } = NEEDS[name]
  if (path === undefined) throw new Error(`${what} is missing: ${command}`)
  return path
}

function programOf(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map(folder => join(folder, name)).find(existsSync)
}

/** Returns the folder of the newest server that has the extension. */
function postgresBin(extension?: string): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const folders = process.env.TEST_POSTGRES_BIN
    ? [process.env.TEST_POSTGRES_BIN]
    : versions.map(version => join(DEBIAN, version, 'bin'))
  return folders.find(
    bin =>
      existsSync(join(bin, 'postgres')) &&
      (!extension || extensionFolders(bin).some(folder => existsSync(join(folder, `${extension}.control`)))),
  )
}

/** Where the extensions of a server are: in Debian's packages, or where it was installed from its sources. */
function extensionFolders(bin: string): string[] {
  return [
    bin.replace(/^\/usr\/lib\/postgresql\/(\d+)\/bin\/?$/, '/usr/share/postgresql/$1/extension'),
    join(bin, '../share/extension'),
    join(bin, '../share/postgresql/extension'),
  ]
}
