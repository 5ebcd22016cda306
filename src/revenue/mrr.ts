import { decimal, divide, type Fixed, multiply, ONE, roundHalfEven, whole, ZERO } from './fixed-point.ts'
import type { Coupon, Discount, Listed, Price, Terms, Tier } from './stripe/objects.ts'
import type { Item } from './stripe/subscription.ts'

/** What payloads name by id alone, as far as it is known from elsewhere. */
export interface Definitions {
  discounts: ReadonlyMap<string, Discount>
  coupons: ReadonlyMap<string, Coupon>
  /** With tiers and with what they cost in every currency. */
  prices: ReadonlyMap<string, Price>
}

/** A fraction of whole numbers that are small. */
interface Share {
  of: number
  in: number
}

/** What has a price every month, on its way to the sum. */
interface Line {
  item: Item
  price: Price
  /** Minor units a month. */
  amount: Fixed
  /** How much of an invoice falls on a month. */
  perMonth: Share
}

/** So that the difference of two is exact too. */
const MOST = 2 ** 52
const HUNDRED = whole(100)

/**
 * Monthly recurring revenue of a subscription: its licensed recurring items × quantity, brought to a month, less forever
 * coupons, without tax, metered parts and prices without an amount in its currency.
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
  const lines = items.flatMap(item => lineOf(item, currency, definitions))
  for (const line of lines) takeOff([line], line.item.discounts, currency, definitions)
  takeOff(lines, discounts, currency, definitions)
  const total = lines.reduce((sum, { amount, item }) => sum + withoutTax(amount, item), ZERO)
  const mrr = Number(roundHalfEven(total))
  if (Math.abs(mrr) > MOST) throw new RangeError(`an MRR of ${mrr} is beyond exact numbers`)
  return Math.max(0, mrr)
}

/** Ids of prices of which it is not known what they cost in the currency: they count as 0 until it is. */
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

/** What a price costs in a currency, which need not be its own; undefined when it has none in that currency. */
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

/** Of the amount for one interval, the part of a month: year ÷ 12, week × 52 ÷ 12, day × 365 ÷ 12. */
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

/** What a quantity costs for one interval. */
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

/** All units at the price of the tier that the quantity falls in. */
function byVolume(tiers: readonly Tier[], units: number): Fixed {
  const tier = tiers.find(each => isReached(each, units)) ?? tiers.at(-1)
  return tier ? priced(tier, units) : ZERO
}

/** Each unit at the price of its own tier; the first tier's flat amount is due without a unit too. */
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
function keptShare(lines: readonly Line[], coupon: Coupon, currency: string): Fixed {
  if (coupon.percentOff !== null) return atLeastZero((HUNDRED - decimal(coupon.percentOff)) / 100n)
  const off = coupon.amountsOff[currency]
  const total = lines.reduce((sum, line) => sum + line.amount, ZERO)
  if (off === undefined || total <= 0n) return ONE
  // An amount is taken off each invoice, and there is one as often as the shortest interval ends.
  const often = lines
    .map(({ perMonth }) => perMonth)
    .reduce((most, each) => (isLess(most, each) ? each : most))
  return atLeastZero(divide(total - shareOf(whole(off), often), total))
}

const isLess = (a: Share, b: Share) => a.of * b.in < b.of * a.in
const atLeastZero = (value: Fixed): Fixed => (value < 0n ? ZERO : value)

/** Prices may include tax: of the rates that say so. */
function withoutTax(amount: Fixed, { includedTaxes }: Item): Fixed {
  const percent = includedTaxes.reduce((sum, rate) => sum + decimal(rate), HUNDRED)
  return divide(amount * 100n, percent)
}
