import type { Texts } from '../../../storage/columns/texts.ts'
import { compareTexts } from '../../../storage/rollups/daily/value-dictionary.ts'

/** Texts in the order of their UTF-8 bytes. */
export interface ByteOrder {
  /** Place of each text, by its number. */
  rankOf: Int32Array
  texts: string[]
}

export function byteOrder(texts: Texts): ByteOrder {
  const numbers = texts.all().map((_, number) => number)
  numbers.sort((a, b) => compareTexts(texts.text(a), texts.text(b)))
  const rankOf = new Int32Array(numbers.length)
  for (const [rank, number] of numbers.entries()) rankOf[number] = rank
  return { rankOf, texts: numbers.map(number => texts.text(number)) }
}
