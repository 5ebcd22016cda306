import type { Coupon, Discount, Listed, Price, Terms, Tier } from '../processor/objects.ts'
import type { Item } from '../processor/subscription-object.ts'
import { decimal, divide, type Fixed, multiply, ONE, roundHalfEven, whole, ZERO } from './fixed-point.ts'

/** Objects that payloads can contain only by id, as far as other facts describe them. */
export interface Definitions {
  discounts: ReadonlyMap<string, Discount>
  coupons: ReadonlyMap<string, Coupon>
  /** Prices with their tiers and their terms in every currency. */
  prices: ReadonlyMap<string, Price>
}

/** A fraction of two small whole numbers. */
interface Share {
  of: number
  in: number
}

/** A licensed recurring item while the sum is computed. */
interface Line {
  item: Item
  price: Price
  /** Minor units a month. */
  amount: Fixed
  /** Part of the amount of one interval that falls on a month. */
  perMonth: Share
}

/** 2^52: the difference of two such amounts is still an exact number. */
const MOST = 2 ** 52
const HUNDRED = whole(100)

/**
 * Returns the monthly recurring revenue of a subscription: licensed recurring items × quantity, converted to one month, less
 * forever coupons, without tax, metered items and prices that have no amount in the subscription's currency.
 * @param discounts discounts of the whole subscription, in the order in which they are subtracted
 * @returns minor units, halves rounded to even, at least 0
 * @throws RangeError when the amount is above 2^52
 * @see docs/metrics.md "MRR"
 */
export function mrrOf(
  items: readonly Item[],
  discounts: readonly Listed[],
  currency: string,
  definitions: Definitions,
): number {
  const lines = items.flatMap(item => lineOf(item, currency, definitions))
  for (const line of lines) applyCoupons([line], line.item.discounts, currency, definitions)
  applyCoupons(lines, discounts, currency, definitions)
  const total = lines.reduce((sum, { amount, item }) => sum + withoutTax(amount, item), ZERO)
  const mrr = Number(roundHalfEven(total))
  if (Math.abs(mrr) > MOST) throw new RangeError(`an MRR of ${mrr} is beyond exact numbers`)
  return Math.max(0, mrr)
}

/** Returns the ids of prices whose cost in the currency is unknown. They count as 0 until it is known. */
export function pricesWithoutTerms(
  items: readonly Item[],
  currency: string,
  definitions: Definitions,
): string[] {
  return items.flatMap(({ price }) =>
    price?.recurring?.usage === 'licensed' && lacksTerms(price, currency, definitions) ? [price.id] : [],
  )
}

function lacksTerms(price: Price, currency: string, definitions: Definitions): boolean {
  const terms = termsIn(price, currency, definitions)
  if (terms) return price.isTiered && !terms.tiers
  return !(price.options ?? definitions.prices.get(price.id)?.options)
}

/** Returns the terms of a price in a currency, which can differ from its own; undefined when it has no terms in that currency. */
function termsIn(price: Price, currency: string, { prices }: Definitions): Terms | undefined {
  const known = prices.get(price.id)
  if ((price.currency ?? currency) === currency) {
    return { unitAmount: price.unitAmount, tiers: price.tiers ?? known?.tiers ?? null }
  }
  return price.options?.[currency] ?? known?.options?.[currency]
}

function lineOf(item: Item, currency: string, definitions: Definitions): Line[] {
  const { price, quantity } = item
  if (price?.recurring?.usage !== 'licensed') return []
  const terms = termsIn(price, currency, definitions)
  if (!terms) return []
  const perMonth = monthlyShare(price.recurring)
  return [{ item, price, perMonth, amount: shareOf(amountOf(price, terms, quantity), perMonth) }]
}

const shareOf = (amount: Fixed, share: Share): Fixed => (amount * BigInt(share.of)) / BigInt(share.in)

/** Part of the amount of one interval that falls on a month: year ÷ 12, week × 52 ÷ 12, day × 365 ÷ 12. */
function monthlyShare({ interval, count }: NonNullable<Price['recurring']>): Share {
  switch (interval) {
    case 'month':
      return { of: 1, in: count }
    case 'year':
      return { of: 1, in: 12 * count }
    case 'week':
      return { of: 52, in: 12 * count }
    case 'day':
      return { of: 365, in: 12 * count }
  }
}

/** Returns the cost of a quantity for one interval. */
function amountOf(price: Price, { unitAmount, tiers }: Terms, quantity: number): Fixed {
  const units = packagesOf(price, quantity)
  if (!price.isTiered) return decimal(unitAmount ?? '0') * BigInt(units)
  return price.isGraduated ? graduated(tiers ?? [], units) : byVolume(tiers ?? [], units)
}

function packagesOf({ packages }: Price, quantity: number): number {
  if (!packages) return quantity
  const count = quantity / packages.size
  return packages.isRoundedUp ? Math.ceil(count) : Math.floor(count)
}

const isReached = ({ upTo }: Tier, units: number) => upTo === null || units <= upTo

/** Prices all units at the tier that the quantity falls in. */
function byVolume(tiers: readonly Tier[], units: number): Fixed {
  const tier = tiers.find(each => isReached(each, units)) ?? tiers.at(-1)
  return tier ? priced(tier, units) : ZERO
}

/** Prices each unit at its own tier. The flat amount of the first tier applies even to 0 units. */
function graduated(tiers: readonly Tier[], units: number): Fixed {
  let total = ZERO
  let below = 0
  for (const [index, tier] of tiers.entries()) {
    if (index > 0 && units <= below) break
    const upTo = tier.upTo === null || index === tiers.length - 1 ? units : Math.min(units, tier.upTo)
    total += priced(tier, upTo - below)
    below = upTo
  }
  return total
}

const priced = ({ unitAmount, flatAmount }: Tier, units: number) =>
  decimal(unitAmount) * BigInt(units) + decimal(flatAmount)

/** Subtracts coupons one after the other from the lines that they cover. Changes the lines in place. */
function applyCoupons(
  lines: Line[],
  listed: readonly Listed[],
  currency: string,
  definitions: Definitions,
): void {
  for (const each of listed) {
    const coupon = couponOf(each, definitions)
    // A coupon that expires does not change recurring revenue.
    if (coupon?.duration !== 'forever') continue
    const covered = lines.filter(
      ({ price }) => !coupon.products || coupon.products.includes(price.product ?? ''),
    )
    const share = remainingShare(covered, coupon, currency)
    for (const line of covered) line.amount = multiply(line.amount, share)
  }
}

/** Returns the coupon of a discount, merged from its payload and the known definitions. */
export function couponOf(listed: Listed, { discounts, coupons }: Definitions): Coupon | undefined {
  const discount = typeof listed === 'string' ? discounts.get(listed) : listed
  const coupon = discount?.coupon
  if (typeof coupon === 'string') return coupons.get(coupon)
  return coupon ? joinCoupon(coupons.get(coupon.id), coupon) : undefined
}

/** Merges two descriptions of a coupon. Fields that the newer payload omits keep their known value. */
export function joinCoupon(known: Coupon | undefined, newer: Coupon): Coupon {
  if (!known) return newer
  return {
    ...newer,
    amountsOff: { ...known.amountsOff, ...newer.amountsOff },
    hasAllCurrencies: known.hasAllCurrencies || newer.hasAllCurrencies,
    products: newer.products === undefined ? known.products : newer.products,
  }
}

/** Returns the share of the amount that remains after the coupon, from 0 to 1. */
function remainingShare(lines: readonly Line[], coupon: Coupon, currency: string): Fixed {
  if (coupon.percentOff !== null) return atLeastZero((HUNDRED - decimal(coupon.percentOff)) / 100n)
  const off = coupon.amountsOff[currency]
  const total = lines.reduce((sum, line) => sum + line.amount, ZERO)
  if (off === undefined || total <= 0n) return ONE
  // A fixed amount is subtracted from each invoice, and the shortest interval determines how many invoices there are.
  const often = lines
    .map(({ perMonth }) => perMonth)
    .reduce((most, each) => (isLess(most, each) ? each : most))
  return atLeastZero(divide(total - shareOf(whole(off), often), total))
}

const isLess = (a: Share, b: Share) => a.of * b.in < b.of * a.in
const atLeastZero = (value: Fixed): Fixed => (value < 0n ? ZERO : value)

/** Removes the taxes that the price includes: those of its inclusive rates. */
function withoutTax(amount: Fixed, { includedTaxes }: Item): Fixed {
  const percent = includedTaxes.reduce((sum, rate) => sum + decimal(rate), HUNDRED)
  return divide(amount * 100n, percent)
}
