import type { HitColumns } from '../../../storage/columns/block.ts'

/**
 * Returns the number of the text that a hit carries under a key; that of the empty text without one.
 * @param key its number; undefined for a key that occurs nowhere
 */
export function propertyOf(
  { firstProperty, propertyKeys, propertyValues }: HitColumns,
  hit: number,
  key: number | undefined,
): number {
  for (let index = firstProperty[hit]!; index < firstProperty[hit + 1]!; index++) {
    if (propertyKeys[index] === key) return propertyValues[index]!
  }
  return 0
}
