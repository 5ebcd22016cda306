/**
 * A fraction in fixed point, in units of 10⁻¹⁵⁰. It is fast for any input; exact fractions are not, because their
 * denominators grow with every operand. The error of truncation is far below the difference of any two amounts of money.
 */
export type Fixed = bigint

const PLACES = 150
export const ONE: Fixed = 10n ** BigInt(PLACES)
export const ZERO: Fixed = 0n

/** Far above the sum of all truncation errors, and far below the smallest difference of two amounts. */
const DUST = 10n ** BigInt(PLACES / 2)

/** Converts a whole number. */
export const whole = (value: bigint | number): Fixed => BigInt(value) * ONE

export const multiply = (a: Fixed, b: Fixed): Fixed => (a * b) / ONE

/** @throws RangeError when `by` is 0 */
export const divide = (a: Fixed, by: Fixed): Fixed => (a * ONE) / by

const DECIMAL = /^(-?)(\d+)(?:\.(\d{1,50}))?(?:e([+-]?\d{1,2}))?$/i

/**
 * Parses a decimal number of at most 50 decimals: `12.5`, `-0.000000000001`, `1e-7`.
 * @throws RangeError for any other text
 */
export function decimal(text: string): Fixed {
  const [, sign = '', digits = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  if (digits === '') throw new RangeError(`${text} is no decimal number`)
  const places = PLACES - fraction.length + Number(exponent)
  return BigInt(`${sign}${digits}${fraction}`) * 10n ** BigInt(places)
}

/** Rounds to the nearest whole number, a half to the even one. A value within the truncation error of a half counts as a half. */
export function roundHalfEven(value: Fixed): bigint {
  const rest = ((value % ONE) + ONE) % ONE
  const below = (value - rest) / ONE
  const fromHalf = rest * 2n - ONE
  if (fromHalf < DUST && fromHalf > -DUST) return below % 2n === 0n ? below : below + 1n
  return fromHalf > 0n ? below + 1n : below
}
