/** Quotients of integers, rounded to the nearest, halves away from zero, without floating point. */

/** numerator ÷ denominator to two decimals; 0 for a denominator of 0. */
export function twoDecimals(numerator: number, denominator: number): number {
  return denominator === 0 ? 0 : roundedQuotient(100 * numerator, denominator) / 100
}

/** numerator ÷ denominator to one decimal; 0 for a denominator of 0. */
export function oneDecimal(numerator: number, denominator: number): number {
  return denominator === 0 ? 0 : roundedQuotient(10 * numerator, denominator) / 10
}

/** Middle of integers, of two the mean, ÷ `per`, to two decimals; null without any. */
export function median(numbers: number[], per: number): number | null {
  if (numbers.length === 0) return null
  const inOrder = numbers.toSorted((a, b) => a - b)
  const half = Math.floor(inOrder.length / 2)
  const twice = inOrder.length % 2 === 1 ? 2 * inOrder[half]! : inOrder[half - 1]! + inOrder[half]!
  return twoDecimals(twice, 2 * per)
}

/** Mean to two decimals; null without any. */
export const mean = (numbers: number[]): number | null =>
  numbers.length === 0 ? null : twoDecimals(sum(numbers), numbers.length)

export const sum = (numbers: number[]): number => numbers.reduce((all, number) => all + number, 0)

/** Nearest integer to numerator ÷ denominator. */
function roundedQuotient(numerator: number, denominator: number): number {
  const size = BigInt(Math.abs(numerator))
  const by = BigInt(denominator)
  const rounded = Number((2n * size + by) / (2n * by))
  return numerator < 0 && rounded !== 0 ? -rounded : rounded
}
