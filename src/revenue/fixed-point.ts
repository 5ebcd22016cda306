/**
 * A fraction in fixed point, in units of 10⁻¹⁵⁰: fast whatever is put in, as whole fractions are not, whose denominators
 * grow with every operand. What amounts of money come to differs by far more than what is cut off here.
 */
export type Fixed = bigint

const PLACES = 150
export const ONE: Fixed = 10n ** BigInt(PLACES)
export const ZERO: Fixed = 0n

/** Far above the sum of what was cut off, and far below what tells two amounts apart. */
const DUST = 10n ** BigInt(PLACES / 2)

/** A whole number. */
export const whole = (value: bigint | number): Fixed => BigInt(value) * ONE

export const multiply = (a: Fixed, b: Fixed): Fixed => (a * b) / ONE

/** @throws RangeError when `by` is 0 */
export const divide = (a: Fixed, by: Fixed): Fixed => (a * ONE) / by

const DECIMAL = /^(-?)(\d+)(?:\.(\d{1,50}))?(?:e([+-]?\d{1,2}))?$/i

/**
 * A decimal number as it is written, of at most 50 decimals: `12.5`, `-0.000000000001`, `1e-7`.
 * @throws RangeError for any other text
 */
export function decimal(text: string): Fixed {
  const [, sign = '', digits = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  if (digits === '') throw new RangeError(`${text} is no decimal number`)
  const places = PLACES - fraction.length + Number(exponent)
  return BigInt(`${sign}${digits}${fraction}`) * 10n ** BigInt(places)
}

/** To the nearest whole number, a half to the even one; a half is what is one but for what was cut off. */
export function roundHalfEven(value: Fixed): bigint {
  const rest = ((value % ONE) + ONE) % ONE
  const below = (value - rest) / ONE
  const fromHalf = rest * 2n - ONE
  if (fromHalf < DUST && fromHalf > -DUST) return below % 2n === 0n ? below : below + 1n
  return fromHalf > 0n ? below + 1n : below
}
