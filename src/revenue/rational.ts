/** An exact fraction in lowest terms; the denominator is above 0. */
export interface Rational {
  readonly n: bigint
  readonly d: bigint
}

export const ZERO: Rational = { n: 0n, d: 1n }

/** `n / d` @throws RangeError when `d` is 0 */
export function ratio(n: bigint | number, d: bigint | number = 1n): Rational {
  let [top, bottom] = [BigInt(n), BigInt(d)]
  if (bottom === 0n) throw new RangeError('a fraction needs a denominator other than 0')
  if (bottom < 0n) [top, bottom] = [-top, -bottom]
  const divisor = gcd(top < 0n ? -top : top, bottom)
  return { n: top / divisor, d: bottom / divisor }
}

export const add = (a: Rational, b: Rational) => ratio(a.n * b.d + b.n * a.d, a.d * b.d)
export const subtract = (a: Rational, b: Rational) => ratio(a.n * b.d - b.n * a.d, a.d * b.d)
export const multiply = (a: Rational, b: Rational) => ratio(a.n * b.n, a.d * b.d)
export const divide = (a: Rational, b: Rational) => ratio(a.n * b.d, a.d * b.n)
export const isLess = (a: Rational, b: Rational) => a.n * b.d < b.n * a.d

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,2}))?$/i

/**
 * A decimal number as it is written: `12.5`, `0.000000000001`, `1e-7`.
 * @throws RangeError for any other text
 */
export function decimal(text: string): Rational {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  if (whole === '') throw new RangeError(`${text} is no decimal number`)
  const power = Number(exponent) - fraction.length
  const digits = BigInt(`${sign}${whole}${fraction}`)
  return power < 0 ? ratio(digits, 10n ** BigInt(-power)) : ratio(digits * 10n ** BigInt(power))
}

/** To the nearest whole number, a half to the even one. */
export function roundHalfEven({ n, d }: Rational): bigint {
  const rest = ((n % d) + d) % d
  const below = (n - rest) / d
  if (rest * 2n === d) return below % 2n === 0n ? below : below + 1n
  return rest * 2n > d ? below + 1n : below
}

function gcd(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b]
  return a
}
