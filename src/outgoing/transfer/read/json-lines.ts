import { readLines } from '../../../ingestion/import/lines.ts'
import { checkDepth, MAX_DEPTH } from '../../../platform/lib/json.ts'
import { createPauses } from '../../../platform/lib/pauses.ts'

export type JsonObject = Record<string, unknown>

/** An object, or why a text is none. */
export type JsonResult = { value: JsonObject; left?: undefined } | { value?: undefined; left: string }

/** What was read from a file. */
export type JsonItem = {
  /** On which it begins, from 1. */
  line: number
} & JsonResult

/** Longer than a line of `hits:import`: other products write more fields than are kept. */
const MAX_LINE_BYTES = 1024 * 1024

/** Yields the objects of a file with one JSON object a line, with constant memory. Empty lines are skipped. */
export async function* readJsonLines(
  source: AsyncIterable<Buffer>,
  { maxBytes = MAX_LINE_BYTES }: { maxBytes?: number } = {},
): AsyncGenerator<JsonItem> {
  const pause = createPauses()
  for await (const lines of readLines(source, maxBytes)) {
    for (const { number: line, text } of lines) {
      await pause()
      if (text) yield { line, ...parseObject(text.toString()) }
      else yield { line, left: `the line is longer than ${maxBytes / 1024} KiB` }
    }
  }
}

/** Tells whether a file that begins with these bytes has JSON objects, after a byte order mark and white space. */
export const beginsWithObject = (first: Buffer): boolean => /^\uFEFF?\s*\{/.test(first.toString())

/** Parses a text that must be a JSON object. */
export function parseObject(text: string): JsonResult {
  try {
    checkDepth(text, 'line', MAX_DEPTH)
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { value: value as JsonObject }
    }
  } catch {
    // The reason names a position of the text: equal ones could not be counted.
  }
  return { left: 'the line is not a JSON object' }
}
