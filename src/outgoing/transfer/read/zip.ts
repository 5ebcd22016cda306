import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { AppError } from '../../../platform/errors.ts'
import type { SourceFile } from '../source-file.ts'
import { checkUnpacked, refusal, UNPACK_LIMITS } from './limits.ts'
import type { PackedFile } from './packed-files.ts'

const STORED = 0
const DEFLATED = 8

/** Reads ranges of a source file for yauzl. */
class SourceReader extends RandomAccessReader {
  readonly #file: SourceFile

  constructor(file: SourceFile) {
    super()
    this.#file = file
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#file.read(start, end), { objectMode: false })
  }
}

/**
 * Returns the files of a ZIP archive, without folders and without what macOS adds. Nothing is unpacked before it is read.
 * @throws AppError `validation_failed` when the archive is cut off, damaged, encrypted or too large unpacked; reading a file
 * throws it, too
 */
export async function openZip(file: SourceFile, limits = UNPACK_LIMITS): Promise<PackedFile[]> {
  return refusingDamage(async () => {
    const zip = await fromRandomAccessReaderPromise(new SourceReader(file), file.bytes, {
      autoClose: false,
      lazyEntries: true,
    })
    if (zip.entryCount > limits.maxFiles)
      throw refusal(`the ZIP file holds more than ${limits.maxFiles} files`)
    const files: PackedFile[] = []
    let unpacked = 0
    for await (const entry of zip.eachEntry()) {
      const name = basename(entry.fileName)
      if (entry.fileName.endsWith('/') || /(^|\/)(__MACOSX\/|\.)/.test(entry.fileName)) continue
      if (entry.isEncrypted()) throw refusal('the ZIP file is encrypted; bring it without a password')
      if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
        throw refusal('a file in the ZIP file is packed in a way that is not known; use deflate')
      }
      // yauzl ends a stream with an error that gives more bytes than its entry says.
      unpacked += entry.uncompressedSize
      checkUnpacked(file.bytes, unpacked, limits)
      files.push({ name, bytes: entry.uncompressedSize, read: () => readEntry(zip, entry) })
    }
    return files
  })
}

async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const stream = await refusingDamage(() => zip.openReadStreamPromise(entry))
  try {
    yield* stream
  } catch (error) {
    throw damage(error)
  } finally {
    stream.destroy()
  }
}

async function refusingDamage<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw damage(error)
  }
}

/** yauzl and zlib name damage in texts of many kinds; errors of reading (a code) and refusals of our own stay as they are. */
function damage(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof AppError || (code !== undefined && !code.startsWith('Z_'))) return error
  return refusal('the ZIP file is cut off or damaged; bring the whole file', error)
}
