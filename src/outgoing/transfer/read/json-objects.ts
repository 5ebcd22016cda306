import { createPauses } from '../../../platform/lib/pauses.ts'
import { type JsonItem, parseObject } from './json-lines.ts'

const NEWLINE = 0x0a
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

/** What may stand between objects: white space, commas, brackets of arrays, a byte order mark and record separators. */
const BETWEEN = new Set([0x20, 0x09, 0x0d, NEWLINE, 0x2c, OPEN_ARRAY, CLOSE_ARRAY, 0xef, 0xbb, 0xbf, 0x1e])

/** A visit with hundreds of actions, or a page of an API with hundreds of events. */
const MAX_OBJECT_BYTES = 4 * 1024 * 1024

/**
 * Yields the objects of a file with one object a line, of an array of objects, and of several arrays one after the other, on one
 * line or many. Holds at most one chunk and one object in memory. After text that is no JSON it continues with the next line that
 * begins with an object or array.
 */
export async function* readJsonObjects(
  source: AsyncIterable<Buffer>,
  { maxBytes = MAX_OBJECT_BYTES }: { maxBytes?: number } = {},
): AsyncGenerator<JsonItem> {
  const scanner = new ObjectScanner(maxBytes)
  const pause = createPauses()
  for await (const chunk of source) {
    for (const item of scanner.scan(chunk)) {
      await pause()
      yield item
    }
  }
  yield* scanner.end()
}

/** Cuts bytes into the texts of objects. */
class ObjectScanner {
  readonly #maxBytes: number
  #begun: Buffer[] = []
  #begunBytes = 0
  /** Open objects and arrays of the object that is being read; 0: between objects. */
  #depth = 0
  #isInString = false
  /** The last chunk ended with a backslash in a string. */
  #isEscaped = false
  #isAtLineStart = true
  /** In text that is no JSON, up to the end of its line. */
  #isSkipping = false
  #line = 1
  /** Line on which the object begins that is being read. */
  #beginsOn = 1

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  *scan(chunk: Buffer): Generator<JsonItem> {
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      if (this.#isInString) {
        at = this.#endOfString(chunk, at)
        if (chunk[at] === NEWLINE) {
          this.#line += 1
          yield this.#giveUp()
        }
        continue
      }
      const byte = chunk[at]!
      if (byte === NEWLINE) this.#line += 1
      const isAtLineStart = this.#isAtLineStart
      this.#isAtLineStart = byte === NEWLINE
      if (this.#isSkipping) {
        this.#isSkipping = byte !== NEWLINE
        continue
      }
      // JSON on several lines is indented: an object that begins in the first column follows one that was cut off.
      if (this.#depth > 0 && isAtLineStart && (byte === OPEN || byte === OPEN_ARRAY)) yield this.#giveUp()
      if (this.#depth === 0) {
        if (byte === OPEN) {
          start = at
          this.#depth = 1
          this.#beginsOn = this.#line
        } else if (!BETWEEN.has(byte)) {
          this.#isSkipping = true
          yield notAnObject(this.#line)
        }
      } else if (byte === QUOTE) {
        this.#isInString = true
      } else if (byte === OPEN || byte === OPEN_ARRAY) {
        this.#depth += 1
      } else if (byte === CLOSE || byte === CLOSE_ARRAY) {
        this.#depth -= 1
        if (this.#depth === 0) yield this.#finish(chunk.subarray(start, at + 1))
      }
    }
    if (this.#depth > 0) this.#keep(chunk.subarray(start))
  }

  *end(): Generator<JsonItem> {
    if (this.#depth > 0) yield this.#giveUp()
  }

  /** @returns where the string ends, or the line break in it (no string has one); the end of the chunk without either */
  #endOfString(chunk: Buffer, from: number): number {
    let at = from
    if (this.#isEscaped && chunk[at] !== NEWLINE) at += 1
    this.#isEscaped = false
    for (; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === BACKSLASH && chunk[at + 1] !== NEWLINE) at += 1
      else if (byte === QUOTE) {
        this.#isInString = false
        return at
      } else if (byte === NEWLINE) return at
    }
    this.#isEscaped = at > chunk.length
    return at
  }

  #keep(part: Buffer): void {
    this.#begunBytes += part.length
    if (this.#begunBytes > this.#maxBytes) this.#begun = []
    // A slice would keep the whole chunk in memory.
    else this.#begun.push(Buffer.from(part))
  }

  #finish(part: Buffer): JsonItem {
    const isTooLong = this.#begunBytes + part.length > this.#maxBytes
    const text = isTooLong ? '' : Buffer.concat([...this.#begun, part]).toString()
    this.#reset()
    const line = this.#beginsOn
    if (isTooLong) return { line, left: `the object is longer than ${Math.floor(this.#maxBytes / 1024)} KiB` }
    return { line, ...parseObject(text) }
  }

  #giveUp(): JsonItem {
    this.#reset()
    return notAnObject(this.#beginsOn)
  }

  #reset(): void {
    this.#begun = []
    this.#begunBytes = 0
    this.#depth = 0
    this.#isInString = false
    this.#isEscaped = false
    this.#isAtLineStart = true
  }
}

const notAnObject = (line: number): JsonItem => ({ line, left: 'the line is not a JSON object' })
