import { refusal } from './limits.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d
const QUOTE = 0x22

/** A record in the bytes of a chunk. */
export interface RecordBounds {
  /** Where it begins and ends, its line break included. */
  start: number
  end: number
  /** Line of the file on which it begins, from 1. */
  line: number
}

/** Complete records of one chunk, without those that are too long. */
export interface Records {
  /** The bytes of the records one after the other, each with its line break. */
  bytes: Buffer
  bounds: RecordBounds[]
  /** Lines on which records begin that are too long. */
  tooLong: number[]
}

/**
 * Cuts a CSV stream into records: a line break in quotes ends none. Holds at most one chunk and one record in memory, also when a
 * record has no end.
 * @throws AppError `validation_failed` when a quote has no end, or one on another line that can be none: which lines are records, and
 * how many, is then not known
 */
export async function* cutRecords(
  source: AsyncIterable<Buffer>,
  { delimiter, maxBytes }: { delimiter: number; maxBytes: number },
): AsyncGenerator<Records> {
  let rest: Buffer = Buffer.alloc(0)
  // The text of a record that is already too long is dropped, up to its end.
  let isDropping = false
  let inQuotes = false
  let hasJustClosed = false
  let atFieldStart = true
  let line = 1
  let beginsOn = 1
  let quoteOpenedOn = 1

  for await (const chunk of source) {
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const bounds: RecordBounds[] = []
    const tooLong: number[] = []
    let start = 0
    for (let at = rest.length; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === NEWLINE) line += 1
      if (inQuotes) {
        if (byte !== QUOTE) continue
        inQuotes = false
        hasJustClosed = true
        continue
      }
      if (byte === QUOTE) {
        // A doubled quote ends the quotes and begins them again; a quote inside a field without quotes is text.
        if (atFieldStart) quoteOpenedOn = line
        inQuotes = atFieldStart || hasJustClosed
        atFieldStart = false
      } else if (byte === NEWLINE) {
        const end = at + 1
        if (isDropping || end - start > maxBytes) tooLong.push(beginsOn)
        else if (!isBlank(bytes, start, end)) bounds.push({ start, end, line: beginsOn })
        isDropping = false
        start = end
        beginsOn = line
        atFieldStart = true
      } else {
        if (hasJustClosed && byte !== delimiter && byte !== RETURN && line > quoteOpenedOn) {
          throw unclosedQuote(quoteOpenedOn)
        }
        atFieldStart = byte === delimiter
      }
      hasJustClosed = false
    }
    rest = bytes.subarray(start)
    if (isDropping || rest.length > maxBytes) {
      isDropping = true
      rest = Buffer.alloc(0)
    }
    yield { bytes: bytes.subarray(0, start), bounds, tooLong }
  }
  if (inQuotes) throw unclosedQuote(quoteOpenedOn)
  const end = rest.length
  if (isDropping) yield { bytes: Buffer.alloc(0), bounds: [], tooLong: [beginsOn] }
  else if (!isBlank(rest, 0, end)) {
    yield { bytes: rest, bounds: [{ start: 0, end, line: beginsOn }], tooLong: [] }
  }
}

const unclosedQuote = (line: number) =>
  refusal(
    `line ${line}: a field begins with a quote (") that is not closed, so the rows after it cannot be told apart; close it, or double it if it is text`,
  )

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] !== NEWLINE && bytes[at] !== RETURN) return false
  return true
}
