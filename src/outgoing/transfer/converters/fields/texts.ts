import { cut, isWithin, mend } from '../../../../platform/schema/validation.ts'
import type { Converted } from '../converter.ts'

/** Limits of bodies (docs/api.md "Sending hits"). A test compares them with the schema. */
export const LIMITS = {
  path: 2_048,
  title: 512,
  referrer: 2_048,
  hostname: 255,
  name: 255,
  system: 50,
  language: 35,
  propertyKey: 64,
  propertyValue: 500,
  properties: 50,
} as const

/**
 * Brings texts of a row to the limits of a body, so that a hit is not refused for a length alone, and remembers what was cut until it
 * is taken.
 */
export class Texts {
  readonly #cut = new Set<string>()

  /**
   * Returns a text of at most `max` characters; undefined for an empty one, and for a value that is neither text, number nor boolean.
   * @param what names the value in the report of what was cut, such as `title`
   */
  read(value: unknown, max: number, what: string): string | undefined {
    const text = plainText(value)
    if (text === undefined || isWithin(text, max)) return text
    this.report(`${what} cut to ${max} characters`)
    return cut(text, max)
  }

  report(what: string): void {
    this.#cut.add(what)
  }

  /** What was cut since the last call: parts of rows that are not carried over. */
  *taken(): Generator<Converted> {
    if (this.#cut.size === 0) return
    for (const part of this.#cut) yield { part }
    this.#cut.clear()
  }
}

/** Returns a value as text without spaces around it; undefined when nothing is left, and for objects and arrays. */
export function plainText(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  return mend(String(value)).trim() || undefined
}

/** Returns a number that a value has as number or as decimal text; undefined for others. */
export function plainNumber(value: unknown): number | undefined {
  const text = plainText(value)
  if (text === undefined || !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}

/** Tells whether a text is one of those that products write for a value that is not known. */
export const isUnknown = (text: string) =>
  /^(unknown|undefined|null|none|unk|\(not set\)|\(none\)|<other>|\(other\))$/i.test(text)

/** `the export of …` as a sentence of its own. */
export const asSentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}.`
