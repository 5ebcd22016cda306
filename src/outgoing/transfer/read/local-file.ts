import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { AppError } from '../../../platform/errors.ts'
import type { SourceFile } from '../source-file.ts'

const CHUNK_BYTES = 256 * 1024

/**
 * Opens a file on disk.
 * @param onRead called with the position behind what was read last
 * @throws AppError `validation_failed` when it is no file, and the error of the system when it cannot be read
 */
export async function openLocalFile(path: string, onRead?: (position: number) => void): Promise<SourceFile> {
  const found = await stat(path)
  if (!found.isFile()) throw new AppError('validation_failed', `${path} is not a file`)
  return {
    name: basename(path),
    bytes: found.size,
    async *read(start = 0, end = found.size) {
      if (end <= start) return
      let position = start
      for await (const chunk of createReadStream(path, { start, end: end - 1, highWaterMark: CHUNK_BYTES })) {
        position += chunk.length
        onRead?.(position)
        yield chunk
      }
    },
  }
}
