import type { Queryable } from '../../../platform/db/connect.ts'
import type { SourceFile } from '../source-file.ts'
import { readPart } from './import-rows.ts'
import { PART_BYTES } from './schema.ts'

/** Bytes of one statement: what a read of the end of a ZIP file needs is far less than a part. */
const READ_BYTES = 256 * 1024

/** The file of an import whose parts are all there. */
export function uploadedFile(
  db: Queryable,
  { id, fileName, bytes }: { id: string; fileName: string; bytes: number },
  more: Pick<SourceFile, 'limits' | 'pass'>,
): SourceFile {
  return {
    ...more,
    name: fileName,
    bytes,
    async *read(start = 0, end = bytes) {
      for (let position = start; position < end; ) {
        await more.pass?.()
        const number = Math.floor(position / PART_BYTES)
        const from = position - number * PART_BYTES
        const length = Math.min(READ_BYTES, PART_BYTES - from, end - position)
        const [row] = await readPart(db, { id, number, start: from, length })
        // Another process has ended the import: it is no fault of the file.
        if (!row || row.content.length === 0) throw new Error('the file of the import is gone')
        yield row.content
        position += row.content.length
      }
    },
  }
}

export const partsOf = (bytes: number) => Math.ceil(bytes / PART_BYTES)

/** Bytes that a part must have. */
export const lengthOfPart = (bytes: number, number: number) =>
  Math.min(PART_BYTES, bytes - number * PART_BYTES)
