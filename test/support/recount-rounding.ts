/** Quotients of integers, rounded to the nearest, halves away from zero, without floating point. */

/** numerator ÷ denominator to two decimals; 0 for a denominator of 0. */
export function twoDecimals(numerator: number, denominator: number): number {
  return denominator === 0 ? 0 : roundedQuotient(100 * numerator, denominator) / 100
}

/** numerator ÷ denominator to one decimal; 0 for a denominator of 0. */
export function oneDecimal(numerator: number, denominator: number): number {
  return denominator === 0 ? 0 : roundedQuotient(10 * numerator, denominator) / 10
}

/** Nearest integer to numerator ÷ denominator. */
export function roundedQuotient(numerator: number, denominator: number): number {
  const size = BigInt(Math.abs(numerator))
  const by = BigInt(denominator)
  const rounded = Number((2n * size + by) / (2n * by))
  return numerator < 0 && rounded !== 0 ? -rounded : rounded
}
