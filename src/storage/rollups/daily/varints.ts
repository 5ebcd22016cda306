/** Growing byte buffer. Writes numbers as LEB128 varints; above 2^53 only integers that a double represents exactly. */
export class Writer {
  #bytes = Buffer.allocUnsafe(4_096)
  length = 0

  /** @throws Error unless `value` is a non-negative integer: otherwise nothing written after it could be read */
  write(value: number): void {
    if (!(Number.isInteger(value) && value >= 0)) throw new Error(`A rollup cannot hold the number ${value}`)
    // Reserve ten bytes, the length of 2^64: a sum of milliseconds may need them.
    if (this.length + 10 > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 2)
    }
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.length++] = rest
  }

  /** Writes numbers as differences to the one before. */
  writeAscending(values: Iterable<number>): void {
    let before = 0
    for (const value of values) {
      this.write(value - before)
      before = value
    }
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.length))
  }
}

/** Reads what `Writer` has written. */
export class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  read(): number {
    let byte = this.#bytes[this.#at++]!
    if (byte < 0x80) return byte
    let value = byte & 0x7f
    let scale = 0x80
    do {
      byte = this.#bytes[this.#at++]!
      value += (byte & 0x7f) * scale
      scale *= 0x80
    } while (byte >= 0x80)
    return value
  }

  /** Reads numbers that `writeAscending` has written. */
  readAscending(count: number): Uint32Array {
    const values = new Uint32Array(count)
    let value = 0
    for (let index = 0; index < count; index++) {
      value += this.read()
      values[index] = value
    }
    return values
  }
}
