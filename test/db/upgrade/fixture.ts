import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

/** Settings of the service that made the fixtures: answers have addresses, and rows have values that are encrypted. */
export const BASE_URL = 'http://analytics.example'
export const SECRET_KEY = '0'.repeat(64)

/** What a version answered to a GET. */
export interface Answered {
  path: string
  token: string
  /** When it was asked, ISO 8601: presets of ranges begin with today. */
  at: string
  status: number
  body: unknown
}

/** Keeps what a version has left behind: a data folder is packed, a database is dumped. No process may have the folder open. */
export function keep(
  folder: string,
  from: { dataDir: string } | { databaseUrl: string },
  answers: Answered[],
): void {
  mkdirSync(folder, { recursive: true })
  const isFolder = 'dataDir' in from
  if (isFolder) {
    dropOldLog(join(from.dataDir, 'database'))
    writeFileSync(join(folder, DATA_FOLDER), packed(tar(['-C', from.dataDir, '-c', 'database'])))
  } else execFileSync('pg_dump', [from.databaseUrl, '-Fc', '-Z9', '-f', dumpIn(folder)])
  writeFileSync(join(folder, answersOf(isFolder)), packed(Buffer.from(JSON.stringify(answers))))
}

const LOG_FILE_BYTES = 2n ** 20n
const LOG_FILES_OF_4_GIB = 2n ** 32n / LOG_FILE_BYTES

/**
 * Deletes the files of the write-ahead log that a database which was closed in order does not need: half of its data folder, and of
 * random bytes. It needs the one from which a recovery would begin; the others are there to be used again.
 */
function dropOldLog(database: string): void {
  // `checkPointCopy.redo` of ControlFileData.
  const number = readFileSync(join(database, 'global', 'pg_control')).readBigUInt64LE(40) / LOG_FILE_BYTES
  const hex = (part: bigint) => part.toString(16).padStart(8, '0').toUpperCase()
  const needed = hex(number / LOG_FILES_OF_4_GIB) + hex(number % LOG_FILES_OF_4_GIB)
  const log = join(database, 'pg_wal')
  const files = readdirSync(log).filter(name => /^[0-9A-F]{24}$/.test(name))
  if (!files.some(name => name.endsWith(needed))) throw new Error(`the log file ${needed} is missing`)
  for (const name of files) if (!name.endsWith(needed)) rmSync(join(log, name))
}

const DATA_FOLDER = 'data-folder.tar.br'
const answersOf = (isFolder: boolean) => `answers-of-${isFolder ? 'data-folder' : 'dump'}.json.br`
export const dumpIn = (folder: string): string => join(folder, 'database.dump')

/** Unpacks the data folder of a fixture into an existing folder. */
export function unpackDataFolder(folder: string, dataDir: string): void {
  tar(['-C', dataDir, '-x'], unpacked(join(folder, DATA_FOLDER)))
}

/** Reads what the version answered with its data folder, or with the database that was dumped. */
export const readAnswers = (folder: string, { isFolder }: { isFolder: boolean }): Answered[] =>
  JSON.parse(unpacked(join(folder, answersOf(isFolder))).toString())

const tar = (args: string[], input?: Buffer) =>
  execFileSync('tar', args, { maxBuffer: 2 ** 30, ...(input && { input }) })

const packed = (bytes: Buffer) =>
  brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
const unpacked = (file: string) => brotliDecompressSync(readFileSync(file))
