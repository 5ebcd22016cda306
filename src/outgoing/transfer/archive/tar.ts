import { refusal } from '../read/limits.ts'

// Plain ustar with the fewest fields: regular files with short names. What other programs add to the format (long
// names, links, sparse files) has no place in an archive, and is refused instead of understood.

export const BLOCK_BYTES = 512

/** Two empty blocks end an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK_BYTES)

export interface TarEntry {
  name: string
  bytes: number
}

const NAME_BYTES = 100
const CHECKSUM = { start: 148, end: 156 }
/** Eleven octal digits. */
const MAX_ENTRY_BYTES = 8 ** 11 - 1

/** Returns the block before the content of a file; only its owner may read it once it is unpacked. */
export function tarHeader({ name, bytes }: TarEntry, modifiedAt: Date): Buffer {
  if (Buffer.byteLength(name) > NAME_BYTES) throw new Error(`The name ${name} is too long for an archive`)
  if (bytes > MAX_ENTRY_BYTES) throw new Error(`${name} is too large for an archive`)
  const block = Buffer.alloc(BLOCK_BYTES)
  block.write(name, 0)
  block.write(octal(0o600, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(bytes, 11), 124)
  block.write(octal(Math.floor(modifiedAt.getTime() / 1_000), 11), 136)
  block.write('0', 156)
  block.write('ustar\u000000', 257)
  block.write(`${octal(checksumOf(block), 6)}\0 `, CHECKSUM.start)
  return block
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

/** Returns what fills the last block of a file. */
export const tarPadding = (bytes: number): Buffer =>
  Buffer.alloc((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES)

/**
 * Reads the block before a file.
 * @returns undefined for the empty block that ends an archive
 * @throws AppError `validation_failed` for anything but a regular file
 */
export function readTarHeader(block: Buffer): TarEntry | undefined {
  if (block.every(byte => byte === 0)) return undefined
  const sum = numberAt(block, CHECKSUM.start, 8)
  if (block.toString('latin1', 257, 262) !== 'ustar' || sum !== checksumOf(block)) {
    throw refusal('the file is no archive of a team: it is not a tar file, or it was changed')
  }
  const name = textAt(block, 0, NAME_BYTES)
  const [type, prefix] = [block[156], textAt(block, 345, 155)]
  const bytes = numberAt(block, 124, 12)
  const isFile = type === 0x30 || type === 0
  if (!isFile || prefix !== '' || bytes === undefined) {
    throw refusal(
      `the archive has an entry of a kind that team:export does not write: ${JSON.stringify(name)}`,
    )
  }
  return { name, bytes }
}

const textAt = (block: Buffer, start: number, length: number): string =>
  block.toString('utf8', start, start + length).replace(/\0.*$/s, '')

/** @returns undefined where there is no octal number */
function numberAt(block: Buffer, start: number, length: number): number | undefined {
  const text = textAt(block, start, length).trim()
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined
}

/** The sum of all bytes, with spaces in the place of the sum. */
function checksumOf(block: Buffer): number {
  let sum = 0
  for (const [index, byte] of block.entries()) {
    sum += index >= CHECKSUM.start && index < CHECKSUM.end ? 0x20 : byte
  }
  return sum
}
