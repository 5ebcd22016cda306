const NEWLINE = 0x0a
const RETURN = 0x0d
const QUOTE = 0x22

/** Complete records of one chunk, without those that are too long. */
export interface Records {
  /** The bytes of the records one after the other, each with its line break. */
  bytes: Buffer
  /** Where each record begins and ends in `bytes`. */
  bounds: { start: number; end: number }[]
  /** How many records were too long. */
  tooLong: number
}

/**
 * Cuts a CSV stream into records: a line break in quotes ends none. Holds at most one chunk and one record in memory, also when a
 * record has no end.
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

  for await (const chunk of source) {
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const bounds: Records['bounds'] = []
    let tooLong = 0
    let start = 0
    for (let at = rest.length; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (inQuotes) {
        if (byte !== QUOTE) continue
        inQuotes = false
        hasJustClosed = true
        continue
      }
      if (byte === QUOTE) {
        // A doubled quote ends the quotes and begins them again; a quote inside a field without quotes is text.
        inQuotes = atFieldStart || hasJustClosed
        atFieldStart = false
      } else if (byte === NEWLINE) {
        const end = at + 1
        if (isDropping || end - start > maxBytes) tooLong += 1
        else if (!isBlank(bytes, start, end)) bounds.push({ start, end })
        isDropping = false
        start = end
        atFieldStart = true
      } else {
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
  const end = rest.length
  if (isDropping) yield { bytes: Buffer.alloc(0), bounds: [], tooLong: 1 }
  else if (!isBlank(rest, 0, end)) yield { bytes: rest, bounds: [{ start: 0, end }], tooLong: 0 }
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] !== NEWLINE && bytes[at] !== RETURN) return false
  return true
}
