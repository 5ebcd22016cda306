import { createHash, randomUUID } from 'node:crypto'
import { unlinkSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'

/** A part ends with the piece that reaches it: a tar file needs the size before the content, so parts lie on disk until they are whole. */
const PART_BYTES = 64 * 1024 * 1024

export interface Part {
  rows: number
  bytes: number
  sha256: string
}

const NEWLINE = 0x0a

/** Opens an empty file without a name: at most an empty file is left of it when the process is killed. */
export async function openSpool(folder: string): Promise<FileHandle> {
  const path = join(folder, `.archive-${randomUUID()}`)
  // It holds personal data: only its owner may read it.
  const file = await open(path, 'wx+', 0o600)
  unlinkSync(path)
  return file
}

/**
 * Writes lines to a file, one part after the other: each is yielded when the file has it wholly, and is gone when the next is requested.
 * @param pieces whole lines, several at a time
 */
export async function* spoolParts(
  file: FileHandle,
  pieces: AsyncIterable<Buffer>,
  partBytes = PART_BYTES,
): AsyncGenerator<Part> {
  const source = pieces[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { part, isLast } = await spoolPart(file, source, partBytes)
      if (part.bytes > 0) yield part
      if (isLast) return
    }
  } finally {
    await source.return?.()
  }
}

async function spoolPart(file: FileHandle, source: AsyncIterator<Buffer>, partBytes: number) {
  const hash = createHash('sha256')
  let [rows, bytes] = [0, 0]
  const summary = (isLast: boolean) => ({ part: { rows, bytes, sha256: hash.digest('hex') }, isLast })
  await file.truncate(0)
  while (bytes < partBytes) {
    const next = await source.next()
    if (next.done) return summary(true)
    await writeAt(file, next.value, bytes)
    hash.update(next.value)
    bytes += next.value.length
    rows += countLines(next.value)
  }
  return summary(false)
}

async function writeAt(file: FileHandle, piece: Buffer, position: number): Promise<void> {
  for (let written = 0; written < piece.length; ) {
    const { bytesWritten } = await file.write(piece, written, piece.length - written, position + written)
    written += bytesWritten
  }
}

const READ_BYTES = 256 * 1024

/** Yields the part that a file has. */
export async function* readPart(file: FileHandle, { bytes }: Part): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; ) {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(READ_BYTES), position: at })
    if (bytesRead === 0) throw new Error('A part of the archive is shorter than what was written')
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

function countLines(piece: Buffer): number {
  let count = 0
  for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, at + 1)) count += 1
  return count
}
