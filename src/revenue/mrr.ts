import {
  add,
  decimal,
  divide,
  isLess,
  multiply,
  type Rational,
  ratio,
  roundHalfEven,
  subtract,
  ZERO,
} from './rational.ts'
import type { Coupon, Discount, Item, Listed, Price, Tier } from './stripe/objects.ts'

/** What payloads name by id alone, as far as it is known from elsewhere. */
export interface Definitions {
  discounts: ReadonlyMap<string, Discount>
  coupons: ReadonlyMap<string, Coupon>
  /** By the id of the price. */
  tiers: ReadonlyMap<string, Tier[]>
}

/** What has a price every month, on its way to the sum. */
interface Line {
  item: Item
  price: Price
  /** Minor units a month. */
  amount: Rational
  /** How much of an invoice falls on a month. */
  perMonth: Rational
}

/** So that the difference of two is exact too. */
const MOST = 2 ** 52
const HUNDRED = ratio(100)

/**
 * Monthly recurring revenue of a subscription: its licensed recurring items × quantity, brought to a month, less forever
 * coupons, without tax and metered parts.
 * @param discounts that apply to the whole subscription, in the order in which they are taken off
 * @returns minor units, halves rounded to even, at least 0
 * @throws RangeError beyond exact numbers
 * @see contract §10
 */
export function mrrOf(
  items: readonly Item[],
  discounts: readonly Listed[],
  currency: string,
  definitions: Definitions,
): number {
  const lines = items.flatMap(item => lineOf(item, definitions))
  for (const line of lines) takeOff([line], line.item.discounts, currency, definitions)
  takeOff(lines, discounts, currency, definitions)
  const total = lines.reduce((sum, { amount, item }) => add(sum, withoutTax(amount, item)), ZERO)
  const mrr = Number(roundHalfEven(total))
  if (Math.abs(mrr) > MOST) throw new RangeError(`an MRR of ${mrr} is beyond exact numbers`)
  return Math.max(0, mrr)
}

/** Ids of prices whose tiers are not known: they count as 0 until they are. */
export function pricesWithoutTiers(items: readonly Item[], { tiers }: Definitions): string[] {
  return items.flatMap(({ price }) =>
    price?.recurring?.usage === 'licensed' && price.isTiered && !(price.tiers ?? tiers.get(price.id))
      ? [price.id]
      : [],
  )
}

function lineOf(item: Item, definitions: Definitions): Line[] {
  const { price, quantity } = item
  if (price?.recurring?.usage !== 'licensed') return []
  const perMonth = monthlyShare(price.recurring)
  return [{ item, price, perMonth, amount: multiply(amountOf(price, quantity, definitions), perMonth) }]
}

/** Of the amount for one interval, the part of a month: year ÷ 12, week × 52 ÷ 12, day × 365 ÷ 12. */
function monthlyShare({ interval, count }: NonNullable<Price['recurring']>): Rational {
  switch (interval) {
    case 'month':
      return ratio(1, count)
    case 'year':
      return ratio(1, 12 * count)
    case 'week':
      return ratio(52, 12 * count)
    case 'day':
      return ratio(365, 12 * count)
  }
}

/** What a quantity costs for one interval. */
function amountOf(price: Price, quantity: number, { tiers }: Definitions): Rational {
  const units = packagesOf(price, quantity)
  if (!price.isTiered) return multiply(decimal(price.unitAmount ?? '0'), ratio(units))
  const known = price.tiers ?? tiers.get(price.id) ?? []
  return price.isGraduated ? graduated(known, units) : byVolume(known, units)
}

function packagesOf({ packages }: Price, quantity: number): number {
  if (!packages) return quantity
  const count = quantity / packages.size
  return packages.isRoundedUp ? Math.ceil(count) : Math.floor(count)
}

const isReached = ({ upTo }: Tier, units: number) => upTo === null || units <= upTo

/** All units at the price of the tier that the quantity falls in. */
function byVolume(tiers: readonly Tier[], units: number): Rational {
  const tier = tiers.find(each => isReached(each, units)) ?? tiers.at(-1)
  return tier ? priced(tier, units) : ZERO
}

/** Each unit at the price of its own tier; the first tier's flat amount is due without a unit too. */
function graduated(tiers: readonly Tier[], units: number): Rational {
  let total = ZERO
  let below = 0
  for (const [index, tier] of tiers.entries()) {
    if (index > 0 && units <= below) break
    const upTo = tier.upTo === null || index === tiers.length - 1 ? units : Math.min(units, tier.upTo)
    total = add(total, priced(tier, upTo - below))
    below = upTo
  }
  return total
}

const priced = ({ unitAmount, flatAmount }: Tier, units: number) =>
  add(multiply(decimal(unitAmount), ratio(units)), decimal(flatAmount))

/** Takes coupons off the lines they are for, one after the other. */
function takeOff(lines: Line[], listed: readonly Listed[], currency: string, definitions: Definitions): void {
  for (const each of listed) {
    const coupon = couponOf(each, definitions)
    // One that ends is no change of what recurs.
    if (coupon?.duration !== 'forever') continue
    const meant = lines.filter(
      ({ price }) => !coupon.products || coupon.products.includes(price.product ?? ''),
    )
    const kept = keptShare(meant, coupon, currency)
    for (const line of meant) line.amount = multiply(line.amount, kept)
  }
}

/** The coupon of a discount by all that is known of it. */
export function couponOf(listed: Listed, { discounts, coupons }: Definitions): Coupon | undefined {
  const discount = typeof listed === 'string' ? discounts.get(listed) : listed
  const coupon = discount?.coupon
  if (typeof coupon === 'string') return coupons.get(coupon)
  return coupon ? joinCoupon(coupons.get(coupon.id), coupon) : undefined
}

/** What a newer payload leaves out stays as it was known. */
export function joinCoupon(known: Coupon | undefined, newer: Coupon): Coupon {
  if (!known) return newer
  return {
    ...newer,
    amountsOff: { ...known.amountsOff, ...newer.amountsOff },
    hasAllCurrencies: known.hasAllCurrencies || newer.hasAllCurrencies,
    products: newer.products === undefined ? known.products : newer.products,
  }
}

/** 0 to 1 */
function keptShare(lines: readonly Line[], coupon: Coupon, currency: string): Rational {
  if (coupon.percentOff !== null) {
    const kept = divide(subtract(HUNDRED, decimal(coupon.percentOff)), HUNDRED)
    return isLess(kept, ZERO) ? ZERO : kept
  }
  const off = coupon.amountsOff[currency]
  const total = lines.reduce((sum, line) => add(sum, line.amount), ZERO)
  if (off === undefined || total.n <= 0n) return ratio(1)
  // An amount is taken off each invoice, and there is one as often as the shortest interval ends.
  const often = lines.reduce((most, { perMonth }) => (isLess(most, perMonth) ? perMonth : most), ZERO)
  const kept = subtract(ratio(1), divide(multiply(ratio(off), often), total))
  return isLess(kept, ZERO) ? ZERO : kept
}

/** Prices may include tax: of the rates that say so. */
function withoutTax(amount: Rational, { includedTaxes }: Item): Rational {
  const percent = includedTaxes.reduce((sum, rate) => add(sum, decimal(rate)), HUNDRED)
  return percent.n <= 0n ? amount : divide(multiply(amount, HUNDRED), percent)
}
