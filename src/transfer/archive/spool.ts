import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

/** A part ends with the piece that reaches it: a tar file needs the size before the content, so parts lie on disk until they are whole. */
const PART_BYTES = 64 * 1024 * 1024

export interface Part {
  rows: number
  bytes: number
  sha256: string
}

const NEWLINE = 0x0a

/**
 * Writes lines to a file, one part after the other: each is yielded when the file has it wholly, and is gone when the next is requested.
 * @param pieces whole lines, several at a time
 */
export async function* spoolParts(
  path: string,
  pieces: AsyncIterable<Buffer>,
  partBytes = PART_BYTES,
): AsyncGenerator<Part> {
  const source = pieces[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { part, isLast } = await spoolPart(path, source, partBytes)
      if (part.bytes > 0) yield part
      if (isLast) return
    }
  } finally {
    await source.return?.()
  }
}

async function spoolPart(path: string, source: AsyncIterator<Buffer>, partBytes: number) {
  const hash = createHash('sha256')
  let [rows, bytes] = [0, 0]
  const summary = (isLast: boolean) => ({ part: { rows, bytes, sha256: hash.digest('hex') }, isLast })
  // It holds personal data: only its owner may read it.
  const file = await open(path, 'w', 0o600)
  try {
    while (bytes < partBytes) {
      const next = await source.next()
      if (next.done) return summary(true)
      await file.writeFile(next.value)
      hash.update(next.value)
      bytes += next.value.length
      rows += countLines(next.value)
    }
    return summary(false)
  } finally {
    await file.close()
  }
}

function countLines(piece: Buffer): number {
  let count = 0
  for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, at + 1)) count += 1
  return count
}
