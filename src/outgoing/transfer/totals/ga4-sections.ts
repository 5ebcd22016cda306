import { refusal } from '../read/limits.ts'
import type { PackedFile } from '../read/packed-files.ts'

/** A table of a report. */
export interface Section {
  /** Its comment lines, without `#`. */
  comments: string[]
  file: PackedFile
}

/** More than reports have: one has a table and its totals. */
const MOST_SECTIONS = 100
const MOST_COMMENTS = 100

const NEWLINE = 0x0a
const QUOTE = 0x22

/**
 * Returns the tables of a report that Google Analytics wrote as CSV: each has comment lines before it, and ends at an empty line or
 * the next comment. A file without comments is one table. Line breaks in quotes end no line.
 * @throws AppError `validation_failed` for more tables than a report has
 */
export async function sectionsOf(file: PackedFile): Promise<Section[]> {
  const sections: Section[] = []
  let comments: string[] = []
  let start: number | undefined
  let shared: string[] = []
  const finish = (end: number) => {
    if (start === undefined) return
    if (sections.length === MOST_SECTIONS) throw refusal(`${file.name} has more than ${MOST_SECTIONS} tables`)
    sections.push({ comments: [...shared, ...comments], file: sliceOf(file, start, end) })
    // Later tables of a file have the days of the first, unless they name their own.
    if (sections.length === 1) shared = comments
    start = undefined
    comments = []
  }
  let end = 0
  for await (const { at, length, text } of linesOf(file)) {
    const line = text.replace(/^\uFEFF/, '').trim()
    if (line.startsWith('#')) {
      finish(at)
      if (comments.length < MOST_COMMENTS) comments.push(line.replace(/^#+\s*/, ''))
    } else if (line.replace(/^[,;\t]+$/, '') === '') finish(at)
    else start ??= at
    end = at + length
  }
  finish(end)
  return sections
}

interface Line {
  at: number
  length: number
  /** Its beginning. */
  text: string
}

const LONGEST_TEXT = 200

async function* linesOf(file: PackedFile): AsyncGenerator<Line> {
  let inQuotes = false
  let at = 0
  let length = 0
  let text = Buffer.alloc(0)
  const line = (): Line => ({ at, length, text: text.toString('utf8') })
  for await (const chunk of file.read()) {
    let from = 0
    const take = (to: number) => {
      length += to - from
      if (text.length < LONGEST_TEXT) {
        text = Buffer.concat([text, chunk.subarray(from, Math.min(to, from + LONGEST_TEXT))])
      }
      from = to
    }
    for (let index = 0; index < chunk.length; index++) {
      if (chunk[index] === QUOTE) inQuotes = !inQuotes
      else if (chunk[index] === NEWLINE && !inQuotes) {
        take(index + 1)
        yield line()
        at += length
        length = 0
        text = Buffer.alloc(0)
      }
    }
    take(chunk.length)
  }
  if (length > 0) yield line()
}

function sliceOf(file: PackedFile, start: number, end: number): PackedFile {
  return {
    name: file.name,
    bytes: end - start,
    async *read() {
      let at = 0
      for await (const chunk of file.read()) {
        const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at))
        at += chunk.length
        if (part.length > 0) yield part
        if (at >= end) return
      }
    },
  }
}
