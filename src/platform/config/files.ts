import { randomBytes } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

// File checks of the settings, and the secret key that is kept in the data folder.

/** Returns whether a path is a writable folder, or can be created as one. */
export function canHold(path: string): boolean {
  let place = path
  try {
    while (!existsSync(place) && place !== dirname(place)) place = dirname(place)
    accessSync(place, constants.W_OK)
    return statSync(place).isDirectory()
  } catch {
    return false
  }
}

const MAXMIND_MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
/** The marker lies within the last 128 KiB of the file, before the metadata. */
const MAXMIND_TAIL_BYTES = 128 * 1024

export function isMaxMindFile(path: string): boolean {
  try {
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      const tail = Buffer.alloc(Math.min(size, MAXMIND_TAIL_BYTES))
      readSync(file, tail, 0, tail.length, size - tail.length)
      return tail.includes(MAXMIND_MARK)
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
}

export const SECRET_KEY_FORM = /^[0-9a-fA-F]{64}$/
export const SECRET_KEY_ALLOWED = '64 hex digits (32 bytes), as `openssl rand -hex 32` prints them'

/**
 * Returns the secret key of a data folder; the first call generates it.
 * @returns 64 hex digits
 * @throws Error when the file holds anything else
 */
export function secretKeyIn(dataDir: string): string {
  const file = join(dataDir, 'secret-key')
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true })
    // linkSync is atomic: no process reads a partial key, and of two concurrent startups one creates the file that both read.
    try {
      linkSync(draft, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      unlinkSync(draft)
    }
  }
  const key = readFileSync(file, 'utf8').trim()
  // A wrong key cannot decrypt the secrets in the database.
  if (!SECRET_KEY_FORM.test(key)) {
    throw new Error(`${file} is damaged: it must hold ${SECRET_KEY_ALLOWED}. Bring it back from a backup.`)
  }
  return key
}
