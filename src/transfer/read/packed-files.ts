import { cut } from '../../schema/validation.ts'
import type { SourceFile } from '../source-file.ts'
import { peek } from './bytes.ts'
import { gunzipIfNeeded } from './gunzip.ts'
import { createUnpackCounter, UNPACK_LIMITS } from './limits.ts'
import { openZip } from './zip.ts'

/** A file to read from its beginning: of an archive, or one that stands by itself. */
export interface PackedFile {
  /** Without folders. */
  name: string
  /** Its size in bytes, unpacked if that is known. */
  bytes: number
  /** Returns its bytes as a stream with constant memory. May be called any number of times. */
  read(): AsyncIterable<Buffer>
}

/** Names come into results and messages; one in a ZIP may have 65,535 characters. */
const LONGEST_NAME = 255

/**
 * Returns the files that a file holds: those of a ZIP archive, else the file itself. What is packed with gzip is unpacked.
 * @throws AppError `validation_failed` when an archive is damaged or too large unpacked; reading throws it, too
 */
export async function filesIn(file: SourceFile, limits = UNPACK_LIMITS): Promise<PackedFile[]> {
  const files = (await isZip(file)) ? await openZip(file, limits) : [{ ...file, read: () => file.read() }]
  const unpacked = createUnpackCounter(file.bytes, limits)
  return files.map(({ name, bytes, read }) => {
    const counted = unpacked.ofFile()
    return {
      name: cut(name.replace(/\.gz$/i, ''), LONGEST_NAME),
      bytes,
      read: () => counted(gunzipIfNeeded(read())),
    }
  })
}

/** First bytes of an archive, and of an empty one. */
const SIGNATURES = ['504b0304', '504b0506']

async function isZip(file: SourceFile): Promise<boolean> {
  const { first } = await peek(file.read(0, Math.min(4, file.bytes)), 4)
  return SIGNATURES.includes(first.toString('hex'))
}
