import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

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

const unpacked = (file: string) => brotliDecompressSync(readFileSync(file))
