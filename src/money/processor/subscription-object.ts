import { z } from 'zod'
import { text } from '../../platform/schema/validation.ts'
import {
  Currency,
  Discount,
  Id,
  type Listed,
  ListedDiscounts,
  list,
  Metadata,
  Percent,
  Price,
  reference,
  Seconds,
} from './objects.ts'

// Stripe allows 20 items, 20 discounts and 5 rates. The cost of a subscription is recomputed with each of its events, so
// these limits bound the work per event.
export const MOST_ITEMS = 100
const MOST_DISCOUNTS = 20
const MOST_RATES = 10

const TaxRates = list(
  z.object({ percentage: Percent.nullish(), inclusive: z.boolean().nullish() }),
  MOST_RATES,
).nullish()

const includedIn = (rates: z.infer<typeof TaxRates>) =>
  (rates ?? []).flatMap(({ percentage, inclusive }) => (inclusive && percentage ? [percentage] : []))

/** Older API versions have `discount`; versions since 2024 also have `discounts`, mostly as ids. */
const discountFields = {
  discount: Discount.nullish(),
  discounts: ListedDiscounts(MOST_DISCOUNTS).nullish(),
}

/** Drops a plan that has a successor in the same object: an invalid field that is not used must not fail the event. */
const withoutPlanBeside =
  (successor: string) =>
  (given: unknown): unknown => {
    const isBeside = typeof given === 'object' && given !== null && Reflect.get(given, successor) != null
    return isBeside ? { ...given, plan: undefined } : given
  }

const GivenItem = z.preprocess(
  withoutPlanBeside('price'),
  z.object({
    id: Id.nullish(),
    price: Price.nullish(),
    plan: Price.nullish(),
    quantity: z.int().min(0).nullish(),
    ...discountFields,
    tax_rates: TaxRates,
    deleted: z.boolean().nullish(),
  }),
)
type GivenItem = z.infer<typeof GivenItem>

type GivenDiscounts = Pick<GivenItem, 'discount' | 'discounts'>

/** Returns the discounts that a payload contains as whole objects, by id. */
function discountsById(holders: readonly GivenDiscounts[]): Map<string, Discount> {
  const whole = holders.flatMap(({ discount, discounts }) => [discount, ...(discounts ?? [])])
  const byId = new Map<string, Discount>()
  for (const each of whole) if (each && typeof each !== 'string' && each.id !== null) byId.set(each.id, each)
  return byId
}

/** Returns the entries of `discounts`, as whole objects where the payload has them; else the one in `discount`. */
function listedIn({ discount, discounts }: GivenDiscounts, byId: ReadonlyMap<string, Discount>): Listed[] {
  if (!discounts?.length) return discount ? [discount] : []
  const [only] = discounts
  // Until 2020 discount objects had no id: the object in `discount` belongs to the only id in `discounts`.
  if (discount?.id === null && discounts.length === 1 && typeof only === 'string') {
    return [{ ...discount, id: only }]
  }
  return discounts.map(each => (typeof each === 'string' ? (byId.get(each) ?? each) : each))
}

export const Subscription = z
  .preprocess(
    withoutPlanBeside('items'),
    z.object({
      id: Id,
      status: text(50).refine(value => value !== '', 'is required'),
      customer: reference,
      currency: Currency.nullish(),
      items: z
        .object({ data: list(GivenItem, MOST_ITEMS).nullish(), has_more: z.boolean().nullish() })
        .nullish(),
      plan: Price.nullish(),
      quantity: z.int().min(0).nullish(),
      ...discountFields,
      default_tax_rates: TaxRates,
      automatic_tax: z.object({ enabled: z.boolean().nullish() }).nullish().catch(null),
      cancel_at_period_end: z.boolean().nullish(),
      cancel_at: Seconds.nullish(),
      metadata: Metadata,
    }),
  )
  .transform(subscription => {
    const { items, plan, quantity, discount, discounts } = subscription
    const defaultTaxes = includedIn(subscription.default_tax_rates)
    // Before Stripe had items, the subscription itself had one plan and its quantity.
    const given: Partial<GivenItem>[] = items?.data ?? (plan ? [{ plan, quantity }] : [])
    const byId = discountsById([subscription, ...given])
    const read = given
      .filter(item => !item.deleted)
      .map(item => ({
        id: item.id ?? null,
        price: item.price ?? item.plan ?? null,
        quantity: item.quantity ?? 1,
        discounts: listedIn(item, byId),
        /** Tax rates that the price includes, percent. */
        includedTaxes: item.tax_rates?.length ? includedIn(item.tax_rates) : defaultTaxes,
      }))
    const hasDiscounts = discount !== undefined || discounts != null
    const isTaxed = subscription.automatic_tax?.enabled === true
    const hasUnknownTax = read.some(
      ({ price, includedTaxes }) => isTaxed && price?.includesTax && includedTaxes.length === 0,
    )
    return {
      id: subscription.id,
      status: subscription.status,
      customerId: subscription.customer,
      visitorId: subscription.metadata,
      state: {
        status: subscription.status,
        // ISO 4217 code for "no currency": the subscription has no price.
        currency: subscription.currency ?? read.find(item => item.price?.currency)?.price?.currency ?? 'XXX',
        isEnding: subscription.cancel_at_period_end === true || subscription.cancel_at != null,
        items: read,
        /** Whether the subscription has more items than the payload. */
        isCut: items?.has_more === true,
        /** Discounts of the whole subscription; null when the payload has no such field. */
        discounts: hasDiscounts ? listedIn(subscription, byId) : null,
        /** A price includes a tax that Stripe works out for each invoice: no payload of the subscription says it. */
        ...(hasUnknownTax && { hasUnknownTax }),
      },
    }
  })
export type SubscriptionState = z.infer<typeof Subscription>['state']
/** One item of a subscription. */
export type Item = SubscriptionState['items'][number]
