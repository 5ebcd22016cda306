/** Longest line in bytes: the largest body of a request (256 KiB) and 16 KiB for the fields around it. */
export const MAX_LINE_BYTES = (256 + 16) * 1024

const NEWLINE = 0x0a
const BOM = Buffer.from('\uFEFF')

export interface Line {
  /** Starts at 1; empty lines count. */
  number: number
  /** Trimmed text; undefined when the line is too long. */
  text: Buffer | undefined
}

/**
 * Yields the non-empty lines of a stream, one array for each chunk. Holds at most one chunk and one line in memory. `text` is
 * valid only until the next array is requested.
 */
export async function* readLines(
  source: AsyncIterable<Buffer>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<Line[]> {
  let begun: Buffer[] = []
  let begunBytes = 0
  let number = 0

  function endLine(chunk: Buffer, start: number, end: number): Line | undefined {
    number += 1
    const isTooLong = begunBytes + end - start > maxBytes
    const rest = chunk.subarray(start, end)
    const whole = isTooLong ? undefined : begun.length > 0 ? Buffer.concat([...begun, rest]) : rest
    begun = []
    begunBytes = 0
    const text = whole && trim(whole)
    return text?.length === 0 ? undefined : { number, text }
  }

  for await (const chunk of source) {
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = endLine(chunk, start, end)
      if (line) lines.push(line)
      start = end + 1
    }
    begunBytes += chunk.length - start
    // Drop the text of a line that is already too long. Copy other text, because a slice would keep the large chunk alive.
    if (begunBytes > maxBytes) begun = []
    else if (start < chunk.length) begun.push(Buffer.from(chunk.subarray(start)))
    yield lines
  }
  const last = begunBytes > 0 && endLine(Buffer.alloc(0), 0, 0)
  if (last) yield [last]
}

function trim(line: Buffer): Buffer {
  let start = 0
  let end = line.length
  if (line.subarray(0, BOM.length).equals(BOM)) start = BOM.length
  while (start < end && isSpace(line[start]!)) start += 1
  while (end > start && isSpace(line[end - 1]!)) end -= 1
  return line.subarray(start, end)
}

/** White space by the rules of JSON. */
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0d || byte === 0x09
