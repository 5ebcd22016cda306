// Reads values that may be anything.

export type Given = Record<string, unknown>

/** Whether a value is an object, and no list. */
export const isGiven = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** The objects of a list. */
export const listOf = (value: unknown): Given[] => (Array.isArray(value) ? value.filter(isGiven) : [])
/** A text, or an empty one. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
/** A number within bounds, or 0. */
export const numberOf = (value: unknown, most = 1e9): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(value, -most), most) : 0
/** Ids count from 1. Old versions of rrweb gave -1 to nodes that it would then keep, and put anywhere later. */
export const idOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null
/** Of a rule; several numbers name one within another. */
export const indexOf = (value: unknown): number | number[] | undefined =>
  Array.isArray(value) ? value.map(each => numberOf(each)) : value === undefined ? undefined : numberOf(value)

/** The words of a text. */
export function wordsOf(text: string): Set<string> {
  return new Set(text.split(/\s+/))
}
