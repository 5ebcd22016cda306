import { cut } from '../../../platform/schema/validation.ts'
import type { SourceFile } from '../source-file.ts'
import { peek } from './bytes.ts'
import { gunzipIfNeeded, MAGIC } from './gunzip.ts'
import { checkUnpacked, createUnpackCounter, UNPACK_LIMITS } from './limits.ts'
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
export async function filesIn(
  file: SourceFile,
  limits = file.limits ?? UNPACK_LIMITS,
): Promise<PackedFile[]> {
  const files = (await isZip(file)) ? await openZip(file, limits) : [{ ...file, read: () => file.read() }]
  const unpacked = createUnpackCounter(file.bytes, limits)
  return files.map(({ name, bytes, read }) => {
    const counted = unpacked.ofFile()
    return {
      name: cut(name.replace(/\.gz$/i, ''), LONGEST_NAME),
      bytes,
      read: () => inTurns(file, counted(gunzipIfNeeded(read()))),
    }
  })
}

async function* inTurns({ pass }: SourceFile, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    await pass?.()
    yield chunk
  }
}

/**
 * Refuses a file that says by itself that it unpacks to more than is allowed, without unpacking it. Reading refuses one that says less
 * than it has.
 * @throws AppError `validation_failed`, also when an archive is damaged
 */
export async function checkPacked(file: SourceFile): Promise<void> {
  const limits = file.limits ?? UNPACK_LIMITS
  if (await isZip(file)) await openZip(file, limits)
  else if (await isGzip(file)) checkUnpacked(file.bytes, await sizeInGzip(file), limits)
}

/** Unpacked bytes of the last member, modulo 4 GiB: its last four bytes. */
async function sizeInGzip({ read, bytes }: SourceFile): Promise<number> {
  const { first } = await peek(read(Math.max(bytes - 4, 0), bytes), 4)
  return first.length < 4 ? 0 : first.readUInt32LE()
}

/** First bytes of an archive, and of an empty one. */
const SIGNATURES = ['504b0304', '504b0506']

const isZip = async (file: SourceFile) => SIGNATURES.includes((await firstBytes(file, 4)).toString('hex'))
const isGzip = async (file: SourceFile) => (await firstBytes(file, MAGIC.length)).equals(MAGIC)

const firstBytes = async (file: SourceFile, count: number) =>
  (await peek(file.read(0, Math.min(count, file.bytes)), count)).first
