import { z } from 'zod'
import { MOST_MINOR } from '../../platform/schema/amounts.ts'
import { text } from '../../platform/schema/validation.ts'

// Stripe's objects in the shapes of all its API versions, reduced to the fields that the ledger uses. Other fields are not
// validated.

export const Id = text(255).refine(value => value !== '', 'is required')
/** Id of an object that a payload contains whole or by id. */
const Reference = z.union([Id, z.looseObject({ id: Id }).transform(({ id }) => id)])
export const reference = Reference.nullish().transform(value => value ?? null)
export const Currency = z
  .string()
  .regex(/^[A-Za-z]{3}$/, 'must be a currency code')
  .transform(code => code.toUpperCase())
/** Minor units, as in Stripe's payloads. */
export const Amount = z.int().min(-MOST_MINOR).max(MOST_MINOR)
/** Unix seconds up to the end of the year 9999. */
export const Seconds = z.int().min(0).max(253_402_300_799)

const FIRST_SECOND = Date.UTC(2010) / 1000

/** Unix seconds of a past moment, from 2010 on, when Stripe started. The event reader refuses moments in the future. */
export const PastSeconds = Seconds.min(FIRST_SECOND, 'must not be before 2010')

/** Formats a number without an exponent. With more than 12 decimals it keeps the exponent, and validation refuses it. */
function written(value: string | number): string {
  const asIs = String(value)
  if (typeof value === 'string' || !asIs.includes('e')) return asIs
  const fixed = value.toFixed(12)
  return Number(fixed) === value ? fixed : asIs
}

const decimalOf = (decimals: number) =>
  z
    .union([z.string(), z.number()], 'must be a decimal number')
    .transform(written)
    .pipe(
      z
        .string()
        .regex(
          new RegExp(`^-?\\d{1,20}(\\.\\d{1,${decimals}})?$`),
          `must be a decimal number of at most ${decimals} decimals`,
        ),
    )

/** 12 decimals, the precision of Stripe's finest amounts. */
const Decimal = decimalOf(12)
/** 4 decimals, the precision of Stripe's finest tax rates. */
export const Percent = decimalOf(4).refine(
  text => Number(text) >= 0 && Number(text) <= 100,
  'must be from 0 to 100',
)

export const list = <Element extends z.ZodType>(element: Element, most = 1_000) => z.array(element).max(most)

/** Most charges that are read of one sale. */
export const MOST_CHARGES = 100

const Tier = z
  .object({
    up_to: z.union([z.int().min(0), z.literal('inf')]).nullish(),
    unit_amount: Decimal.nullish(),
    unit_amount_decimal: Decimal.nullish(),
    flat_amount: Decimal.nullish(),
    flat_amount_decimal: Decimal.nullish(),
  })
  .transform(tier => ({
    /** Last unit of the tier; null: no upper bound. */
    upTo: typeof tier.up_to === 'number' ? tier.up_to : null,
    unitAmount: tier.unit_amount_decimal ?? tier.unit_amount ?? '0',
    flatAmount: tier.flat_amount_decimal ?? tier.flat_amount ?? '0',
  }))
export type Tier = z.infer<typeof Tier>

const PriceOption = z
  .object({
    unit_amount: Decimal.nullish(),
    unit_amount_decimal: Decimal.nullish(),
    tiers: list(Tier).nullish(),
  })
  .transform(option => ({
    /** Minor units; null when it has tiers. */
    unitAmount: option.unit_amount_decimal ?? option.unit_amount ?? null,
    tiers: option.tiers?.length ? option.tiers : null,
  }))
/** Cost of a price in one currency. */
export type Terms = z.infer<typeof PriceOption>

const Recurring = z.object({
  interval: z.enum(['day', 'week', 'month', 'year']),
  // Three years, in days.
  interval_count: z.int().min(1).max(1_095).nullish(),
  usage_type: text(50).nullish(),
})

const Packages = z.object({ divide_by: z.int().min(1), round: text(50).nullish() }).nullish()

/** A price, or a plan: the older form of a price. */
export const Price = z
  .object({
    id: Id,
    currency: Currency.nullish(),
    product: Reference.nullish(),
    unit_amount: Decimal.nullish(),
    unit_amount_decimal: Decimal.nullish(),
    amount: Decimal.nullish(),
    amount_decimal: Decimal.nullish(),
    recurring: Recurring.nullish(),
    interval: Recurring.shape.interval.nullish(),
    interval_count: Recurring.shape.interval_count,
    usage_type: Recurring.shape.usage_type,
    billing_scheme: text(50).nullish(),
    tiers: list(Tier).nullish(),
    currency_options: z.record(Currency, PriceOption).nullish(),
    tiers_mode: text(50).nullish(),
    tax_behavior: text(50).nullish().catch(null),
    transform_quantity: Packages,
    transform_usage: Packages,
  })
  .transform(({ interval, currency_options, ...price }) => {
    const recurring = price.recurring ?? (interval ? { ...price, interval } : undefined)
    const packages = price.transform_quantity ?? price.transform_usage
    return {
      id: price.id,
      currency: price.currency ?? null,
      product: price.product ?? null,
      unitAmount:
        price.unit_amount_decimal ?? price.unit_amount ?? price.amount_decimal ?? price.amount ?? null,
      recurring: recurring
        ? {
            interval: recurring.interval,
            count: recurring.interval_count ?? 1,
            usage: recurring.usage_type ?? 'licensed',
          }
        : null,
      isTiered: price.billing_scheme === 'tiered' || (price.tiers?.length ?? 0) > 0,
      isGraduated: price.tiers_mode === 'graduated',
      tiers: price.tiers?.length ? price.tiers : null,
      packages: packages ? { size: packages.divide_by, isRoundedUp: packages.round === 'up' } : null,
      ...(price.tax_behavior === 'inclusive' && { includesTax: true as const }),
      /** Terms in each currency; absent unless the lookup requested them. */
      ...(currency_options && { options: currency_options }),
    }
  })
export type Price = z.infer<typeof Price>

export const Coupon = z
  .object({
    id: Id,
    duration: text(50).nullish(),
    percent_off: Percent.nullish(),
    amount_off: Amount.nullish(),
    currency: Currency.nullish(),
    currency_options: z.record(Currency, z.object({ amount_off: Amount.nullish() })).nullish(),
    applies_to: z.object({ products: list(Id).nullish() }).nullish(),
  })
  .transform(coupon => {
    const amountsOff: Record<string, number> = {}
    for (const [currency, { amount_off }] of Object.entries(coupon.currency_options ?? {})) {
      if (amount_off != null) amountsOff[currency.toUpperCase()] = amount_off
    }
    if (coupon.amount_off != null && coupon.currency) amountsOff[coupon.currency] = coupon.amount_off
    return {
      id: coupon.id,
      duration: coupon.duration ?? null,
      percentOff: coupon.percent_off ?? null,
      amountsOff,
      /** Payloads contain currencies other than the coupon's own only on request. */
      hasAllCurrencies: coupon.currency_options !== undefined,
      /** Products that the coupon covers; null: all; undefined: not in the payload. */
      products: coupon.applies_to === undefined ? undefined : (coupon.applies_to?.products ?? null),
    }
  })
export type Coupon = z.infer<typeof Coupon>

const CouponReference = z.union([Id, Coupon]).nullish()

/** Id of the one sale that a discount belongs to, where it belongs to one. */
const OfSale = z
  .object({ checkout_session: z.unknown(), invoice: z.unknown(), invoice_item: z.unknown() })
  .partial()
const isOfSale = (given: unknown) => Object.values(OfSale.safeParse(given).data ?? {}).some(Boolean)

const AnyDiscount = z
  .object({
    id: Id.nullish(),
    coupon: CouponReference,
    source: z.object({ coupon: CouponReference }).nullish(),
    customer: reference,
    subscription: reference,
    subscription_item: reference,
  })
  .transform(discount => ({
    id: discount.id ?? null,
    coupon: discount.coupon ?? discount.source?.coupon ?? null,
    customerId: discount.customer,
    subscriptionId: discount.subscription,
    itemId: discount.subscription_item,
  }))
export type Discount = z.infer<typeof AnyDiscount>

/**
 * A discount of a subscription or a customer. Null for one that belongs to a checkout, an invoice or an invoice item alone: it changes
 * nothing that recurs.
 */
export const Discount = z
  .unknown()
  .transform(given => (isOfSale(given) ? null : given))
  .pipe(AnyDiscount.nullable())

/** Discounts, or their ids, without those of one sale. */
export const ListedDiscounts = (most: number) =>
  list(z.union([Id, Discount]), most).transform(all => all.filter(each => each !== null))
export type Listed = string | Discount

export const Metadata = z
  .looseObject({ visitor_id: z.unknown().optional() })
  .nullish()
  .transform(metadata => visitorIn(metadata?.visitor_id))

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns the visitor id in a value; null for anything else, because shops can write any value there. */
export const visitorIn = (value: unknown) =>
  typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : null

export const Customer = z
  .object({ id: Id, metadata: Metadata, discount: Discount.nullish().catch(null) })
  .transform(({ id, metadata, discount }) => ({
    id,
    customerId: id,
    visitorId: metadata,
    discount: discount ?? null,
  }))
