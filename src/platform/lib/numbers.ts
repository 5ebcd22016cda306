/**
 * Returns `numerator ÷ denominator`, rounded to `decimals` places, halves away from zero.
 * Exact: it rounds integers, so 1.005 becomes 1.01 and not 1.00.
 * Both arguments must be whole numbers: a percentage is `ratio(100 * part, whole, 2)`.
 * @returns 0 when the denominator is 0; never −0
 */
export function ratio(numerator: number | bigint, denominator: number | bigint, decimals: number): number {
  const rounded = roundedQuotient(BigInt(numerator) * 10n ** BigInt(decimals), denominator)
  // The quotient of two whole doubles is the double nearest to the decimal, the same as its literal in code.
  return Number(rounded) / 10 ** decimals
}

/** Returns `numerator ÷ denominator` to the nearest whole number of any size, halves away from zero; 0 when the denominator is 0. */
export function roundedQuotient(numerator: bigint, denominator: number | bigint): bigint {
  let over = numerator
  let under = BigInt(denominator)
  if (under === 0n) return 0n
  if (under < 0n) [over, under] = [-over, -under]
  const magnitude = over < 0n ? -over : over
  const rounded = (magnitude * 2n + under) / (under * 2n)
  return over < 0n ? -rounded : rounded
}

/**
 * Returns the change from `before` to `now` in whole percent, rounded halves away from zero.
 * @returns 100 when `before` is 0 and `now` is not; 0 when both are 0
 */
export function percentChange(now: number, before: number): number {
  if (before === 0) return now === 0 ? 0 : 100
  return ratio(100n * (BigInt(now) - BigInt(before)), before, 0)
}
