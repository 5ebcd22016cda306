import { RoaringBitmap32 } from 'roaring-wasm'

/** Format of array_send(int4[]): dimensions, flags, element type, length, lower bound; then length and value of each element. */
const HEADER_BYTES = 20
const ELEMENT_BYTES = 8

/** Reads the numbers in the bytes of `array_send(int4[])`; returns none for null or an empty array. */
export function readIntArray(bytes: Buffer | null): Uint32Array {
  if (!bytes || bytes.length < HEADER_BYTES) return new Uint32Array()
  const count = bytes.readInt32BE(12)
  const numbers = new Uint32Array(count)
  for (let index = 0; index < count; index++) {
    numbers[index] = bytes.readUInt32BE(HEADER_BYTES + index * ELEMENT_BYTES + 4)
  }
  return numbers
}

/** Fewer numbers than this are added faster one by one. */
const FEW = 64

/** Set of visitor numbers outside the JavaScript heap. Call `free` after use, or its memory leaks. */
export class VisitorSet {
  readonly #bitmap: RoaringBitmap32

  private constructor(bitmap: RoaringBitmap32) {
    this.#bitmap = bitmap
  }

  /** @param bytes result of `serialize`; without it the set is empty */
  static from(bytes?: Uint8Array | null): VisitorSet {
    return new VisitorSet(bytes ? RoaringBitmap32.deserialize('portable', bytes) : new RoaringBitmap32())
  }

  /** @param numbers in any order; ascending numbers take less time */
  add(numbers: Uint32Array): void {
    if (numbers.length < FEW) {
      this.#bitmap.addMany(numbers)
      return
    }
    // Merge a second bitmap: adding many numbers one by one would move the existing data many times.
    this.#mergeAndFree(new RoaringBitmap32(numbers))
  }

  /** @param bytes result of `serialize` */
  addSerialized(bytes: Uint8Array): void {
    this.#mergeAndFree(RoaringBitmap32.deserialize('portable', bytes))
  }

  #mergeAndFree(other: RoaringBitmap32): void {
    try {
      this.#bitmap.orInPlace(other)
    } finally {
      other.dispose()
    }
  }

  serialize(): Buffer {
    this.#bitmap.runOptimize()
    return Buffer.from(this.#bitmap.serialize('portable'))
  }

  get size(): number {
    return this.#bitmap.size
  }

  free(): void {
    this.#bitmap.dispose()
  }
}

/** Returns the distinct numbers, ascending. Sorts its argument in place. */
export function distinctOf(numbers: Uint32Array): Uint32Array {
  numbers.sort()
  let size = 0
  for (const number of numbers) if (size === 0 || numbers[size - 1] !== number) numbers[size++] = number
  return numbers.slice(0, size)
}
