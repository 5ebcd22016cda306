import type { Converted } from '../converter.ts'
import type { Texts } from './texts.ts'

/** What a reader found at one place of a file: a row, or why it could not be read. */
interface Read {
  line: number
  left?: string | undefined
}

/**
 * Converts each row that a reader finds, and says of one without a hit on which line it stands.
 * @param convert yields the hits of a row, or one reason
 */
export async function* convertEach<Item extends Read>(
  items: AsyncIterable<Item>,
  texts: Texts | undefined,
  convert: (row: Extract<Item, { left?: undefined }>) => Iterable<Converted>,
): AsyncGenerator<Converted> {
  for await (const item of items) {
    if (item.left !== undefined) yield { left: item.left, line: item.line }
    else yield* rowOutcome(item.line, texts, convert(item as Extract<Item, { left?: undefined }>))
  }
}

/** Yields the hits of one row, the first of them marked, or one reason why it has none; then what was cut from its texts. */
export function* rowOutcome(
  line: number,
  texts: Texts | undefined,
  converted: Iterable<Converted>,
): Generator<Converted> {
  let left: string | undefined
  let hasHit = false
  for (const item of converted) {
    if ('hit' in item) {
      yield hasHit ? item : { ...item, isRow: true }
      hasHit = true
    } else if ('left' in item) left ??= item.left
    else yield item
  }
  if (left !== undefined) yield hasHit ? { part: left } : { left, line }
  if (texts) yield* texts.taken()
}
