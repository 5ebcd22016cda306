import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Log } from './log.ts'

/** The kernel's limit for a unix socket is 104 (macOS) or 108 bytes. */
const MAX_SOCKET_PATH_BYTES = 100

/** libpq and postgres.js find a socket in a directory under this name, given the default port. */
const POSTGRES_SOCKET = '.s.PGSQL.5432'

/** The folder's absolute path without symbolic links, so that every process derives the same names from it. */
export function prepareDataDir(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return realpathSync(dataDir)
}

/**
 * The same, for whoever is about to use what is in the folder: takes the rights of other users away, who could read the secret key
 * and every hit, or connect to the database.
 * @throws Error when that cannot be done
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
  // Some file systems take the call and keep the mode.
  if ((modeOf(folder) & OTHERS) !== 0) throw notPrivate(folder, mode, 'the file system keeps no modes')
  log.warn(
    { dataDir: folder, from: octal(mode), to: '700' },
    'other users could open DATA_DIR; its mode was changed',
  )
  return folder
}

/** The rights of the group and of everybody else. */
const OTHERS = 0o077

const modeOf = (folder: string): number => statSync(folder).mode & 0o777

const octal = (mode: number): string => mode.toString(8).padStart(3, '0')

const notPrivate = (folder: string, mode: number, reason: string | undefined): Error =>
  new Error(
    `DATA_DIR is ${JSON.stringify(folder)}, which other users can open (mode ${octal(mode)}); allowed is a folder that only the user ` +
      `of the service can open, and its mode cannot be changed to 700: ${reason}`,
  )

/** Where the embedded database of a data folder listens. */
export const socketPathFor = (dataDir: string): string => shortSocketPath(dataDir, POSTGRES_SOCKET)

/** Where the private Redis of a data folder listens. */
export const redisSocketPathFor = (dataDir: string): string => shortSocketPath(dataDir, 'redis.sock')

/**
 * Where the embedded database of a data folder is reached: with the socket's folder as `host`, the form
 * that psql and `connectDb` take.
 */
export const databaseUrl = (dataDir: string): string => socketUrl(socketPathFor(dataDir))

export function socketUrl(socketPath: string): string {
  return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(path.dirname(socketPath))}`
}

/**
 * A socket in the data folder, or, when that path would be too long for the kernel, in a folder of our
 * own under the system's temporary folder.
 * @throws Error when somebody else owns that folder
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
