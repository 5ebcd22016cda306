import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Log } from './server-log.ts'

/** The kernel's limit for a unix socket is 104 (macOS) or 108 bytes. */
const MAX_SOCKET_PATH_BYTES = 100

/** Socket name that libpq and postgres.js look for in a directory, with the default port. */
const POSTGRES_SOCKET = '.s.PGSQL.5432'

/** Creates the folder and returns its absolute path without symbolic links, so that all processes derive the same names. */
export function prepareDataDir(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return realpathSync(dataDir)
}

/**
 * Prepares the folder and removes the rights of other users, who could read the secret key and every hit, or connect to the
 * database. Call it before using the content of the folder.
 * @throws Error when the rights cannot be removed
 */
export function openDataDir(dataDir: string, log: Log): string {
  const folder = prepareDataDir(dataDir)
  const mode = modeOf(folder)
  if ((mode & OTHERS) === 0) return folder
  try {
    chmodSync(folder, 0o700)
  } catch (error) {
    throw notPrivate(folder, mode, (error as NodeJS.ErrnoException).code)
  }
  // Some file systems accept the call without changing the mode.
  if ((modeOf(folder) & OTHERS) !== 0) throw notPrivate(folder, mode, 'the file system keeps no modes')
  log.warn(
    { dataDir: folder, from: octal(mode), to: '700' },
    'other users could open DATA_DIR; its mode was changed',
  )
  return folder
}

/** The rights of the group and of all other users. */
const OTHERS = 0o077

const modeOf = (folder: string): number => statSync(folder).mode & 0o777

const octal = (mode: number): string => mode.toString(8).padStart(3, '0')

const notPrivate = (folder: string, mode: number, reason: string | undefined): Error =>
  new Error(
    `DATA_DIR is ${JSON.stringify(folder)}, which other users can open (mode ${octal(mode)}); allowed is a folder that only the user ` +
      `of the service can open, and its mode cannot be changed to 700: ${reason}`,
  )

/** Returns the folder in the data folder that holds the embedded database. */
export const databaseFolderIn = (dataDir: string): string => path.join(dataDir, 'database')

/** Returns the path of the socket of the embedded database. */
export const socketPathFor = (dataDir: string): string => shortSocketPath(dataDir, POSTGRES_SOCKET)

/** Returns the path of the socket of the private Redis. */
export const redisSocketPathFor = (dataDir: string): string => shortSocketPath(dataDir, 'redis.sock')

/** Returns the path of the socket of the columns process: several services with servers of their own may share a data folder. */
export function columnsSocketPathFor({ dataDir, databaseUrl, port }: ColumnsOwner): string {
  const owner = createHash('sha256')
    .update(`${databaseUrl ?? ''} ${port}`)
    .digest('hex')
    .slice(0, 8)
  return shortSocketPath(dataDir, `columns-${owner}.sock`)
}

interface ColumnsOwner {
  dataDir: string
  databaseUrl: string | undefined
  port: number
}

/**
 * Returns the URL of the embedded database of a data folder, with the socket's folder as `host`: the form
 * that psql and `connectDb` accept.
 */
export const databaseUrl = (dataDir: string): string => socketUrl(socketPathFor(dataDir))

export function socketUrl(socketPath: string): string {
  return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(path.dirname(socketPath))}`
}

/**
 * Returns the path of a socket in the data folder. When that path is too long for the kernel, the socket is in a
 * private folder under the system's temporary folder.
 * @throws Error when another user owns that folder
 */
function shortSocketPath(dataDir: string, name: string): string {
  const folder = prepareDataDir(dataDir)
  const socketPath = path.join(folder, name)
  if (Buffer.byteLength(socketPath) <= MAX_SOCKET_PATH_BYTES) return socketPath
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  const shortFolder = path.join(os.tmpdir(), `analytics-${hash}`)
  mkdirSync(shortFolder, { recursive: true, mode: 0o700 })
  const { uid } = lstatSync(shortFolder)
  if (process.getuid && uid !== process.getuid()) throw new Error(`${shortFolder} belongs to another user`)
  chmodSync(shortFolder, 0o700)
  return path.join(shortFolder, name)
}
