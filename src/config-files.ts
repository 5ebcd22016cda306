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

// What the settings need of the disk: whether a path is what it should be, and the key that is kept there.

/** Whether a path is a folder that can be written to, or can be made one. */
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
/** The mark stands in the last part of the file, before the description. */
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
 * The secret key of a data folder; the first call makes it.
 * @returns 64 hex digits
 * @throws Error when the file holds something else
 */
export function secretKeyIn(dataDir: string): string {
  const file = join(dataDir, 'secret-key')
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true })
    // A link appears whole or not at all, and of two starts at once one wins and the other reads what it wrote.
    try {
      linkSync(draft, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      unlinkSync(draft)
    }
  }
  const key = readFileSync(file, 'utf8').trim()
  // With a wrong key the secrets in the database would look lost.
  if (!SECRET_KEY_FORM.test(key)) {
    throw new Error(`${file} is damaged: it must hold ${SECRET_KEY_ALLOWED}. Bring it back from a backup.`)
  }
  return key
}
