import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Numbers of a column, in the smallest of these forms that holds them. */
export type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** Columns of equal length that are read together, and the texts that one of them refers to by position. */
export interface Block {
  columns: Record<string, Numbers>
  texts: string[]
}

interface Header {
  texts: string[]
  columns: { name: string; bytes: 1 | 2 | 4 | 8; length: number }[]
}

const FORMS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const

/** Start of a column: a multiple of the size of its numbers. */
const ALIGNMENT = 8
/** The columns are mostly small numbers: higher levels take twice as long, and save less than a tenth. */
const LEVEL = 3

/**
 * Encodes columns of non-negative integers, compressed; above 2^53 only those that a double represents exactly.
 * @throws Error for any other number: it would be read as another one
 */
export function encodeBlock(columns: Record<string, ArrayLike<number>>, texts: string[] = []): Buffer {
  const smallest = Object.entries(columns).map(([name, numbers]) => ({
    name,
    numbers: smallestForm(numbers),
  }))
  const header: Header = {
    texts,
    columns: smallest.map(({ name, numbers }) => ({
      name,
      bytes: numbers.BYTES_PER_ELEMENT as 1 | 2 | 4 | 8,
      length: numbers.length,
    })),
  }
  const text = Buffer.from(JSON.stringify(header))
  const size = Buffer.alloc(4)
  size.writeUInt32LE(text.length)
  const pieces: Uint8Array[] = [size, text]
  let length = size.length + text.length
  for (const { numbers } of smallest) {
    const gap = aligned(length) - length
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
    pieces.push(new Uint8Array(gap), bytes)
    length += gap + bytes.length
  }
  return deflateRawSync(Buffer.concat(pieces), { level: LEVEL })
}

export function decodeBlock(data: Uint8Array): Block {
  const inflated = inflateRawSync(data)
  // A copy to an own buffer: columns begin at multiples of eight from the start of it.
  const bytes = new Uint8Array(inflated)
  const size = inflated.readUInt32LE(0)
  const { texts, columns } = JSON.parse(inflated.toString('utf8', 4, 4 + size)) as Header
  const decoded: Block = { columns: {}, texts }
  let at = 4 + size
  for (const { name, bytes: width, length } of columns) {
    at = aligned(at)
    decoded.columns[name] = new FORMS[width](bytes.buffer, at, length)
    at += width * length
  }
  return decoded
}

const aligned = (at: number) => Math.ceil(at / ALIGNMENT) * ALIGNMENT

function smallestForm(numbers: ArrayLike<number>): Numbers {
  let largest = 0
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index]!
    if (!(Number.isInteger(number) && number >= 0))
      throw new Error(`A column cannot hold the number ${number}`)
    if (number > largest) largest = number
  }
  if (largest < 2 ** 8) return Uint8Array.from(numbers)
  if (largest < 2 ** 16) return Uint16Array.from(numbers)
  if (largest < 2 ** 32) return Uint32Array.from(numbers)
  return Float64Array.from(numbers)
}

/** Returns the first number and then each difference to the one before: ascending numbers become small ones. */
export function toSteps(ascending: ArrayLike<number>): Float64Array {
  const steps = new Float64Array(ascending.length)
  let before = 0
  for (let index = 0; index < ascending.length; index++) {
    steps[index] = ascending[index]! - before
    before = ascending[index]!
  }
  return steps
}
