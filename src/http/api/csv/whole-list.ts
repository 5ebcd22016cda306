import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError } from '../../../platform/errors.ts'
import { BLOCK_ROWS } from '../../../platform/schema/download.ts'

/** Lists that a process holds in memory at the same time, until they are in a file. */
const MOST_AT_ONCE = 2
const MOST_WAITING = 50

let held = 0
const waiting: (() => void)[] = []

/**
 * Runs a read that may return a whole list, when a place is free.
 * @throws AppError `unavailable` when many wait already
 */
export async function wholeLists<Result>(signal: AbortSignal, read: () => Promise<Result>): Promise<Result> {
  if (held >= MOST_AT_ONCE) {
    if (waiting.length >= MOST_WAITING) throw new AppError('unavailable', 'Many lists are being downloaded')
    // A read that ends hands its place over.
    await new Promise<void>(resolve => waiting.push(resolve))
  } else {
    held += 1
  }
  try {
    if (signal.aborted) throw new AppError('unavailable', 'The client has gone')
    return await read()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else held -= 1
  }
}

/**
 * Writes a list to a file that has no name, and returns what reads it: a client that takes the list slowly holds no memory.
 * It is written block by block; other requests are answered in between.
 * @throws AppError `unavailable` when the disk does not take it
 */
export async function keepInFile(rows: unknown[], toLines: (rows: unknown[]) => string): Promise<Readable> {
  const path = join(tmpdir(), `list-${randomUUID()}.csv`)
  let file: FileHandle | undefined
  try {
    file = await open(path, 'wx+', 0o600)
    await unlink(path)
    for (let start = 0; start < rows.length; start += BLOCK_ROWS) {
      await file.appendFile(toLines(rows.slice(start, start + BLOCK_ROWS)))
    }
    return file.createReadStream({ start: 0, autoClose: true })
  } catch (error) {
    await file?.close()
    throw new AppError('unavailable', 'The list could not be kept until you have read it', { cause: error })
  }
}
