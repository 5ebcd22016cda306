import { z } from 'zod'
import { text } from '../../infra/validation.ts'
import {
  Currency,
  Discount,
  Id,
  type Listed,
  ListedDiscount,
  list,
  Metadata,
  Percent,
  Price,
  reference,
  Seconds,
} from './objects.ts'

// Stripe allows 20 items, 20 discounts and 5 rates. What a subscription costs is worked out anew with each of its
// events, so that there has to be an end.
export const MOST_ITEMS = 100
const MOST_DISCOUNTS = 20
const MOST_RATES = 10

const TaxRates = list(
  z.object({ percentage: Percent.nullish(), inclusive: z.boolean().nullish() }),
  MOST_RATES,
).nullish()

const includedIn = (rates: z.infer<typeof TaxRates>) =>
  (rates ?? []).flatMap(({ percentage, inclusive }) => (inclusive && percentage ? [percentage] : []))

/** `discount` is what older versions have; since 2024 they have `discounts` beside it, mostly as ids. */
const discountFields = {
  discount: Discount.nullish(),
  discounts: list(ListedDiscount, MOST_DISCOUNTS).nullish(),
}

/** Leaves out a plan that stands beside what took its place: what is not read must not make an event unreadable. */
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

/** One thing that a subscription is for. */
export interface Item {
  id: string | null
  price: Price | null
  quantity: number
  discounts: Listed[]
  /** Percent, of the rates that the price includes. */
  includedTaxes: string[]
}

type GivenDiscounts = Pick<GivenItem, 'discount' | 'discounts'>

/** The discounts that a payload holds whole, by their ids. */
function discountsById(holders: readonly GivenDiscounts[]): Map<string, Discount> {
  const whole = holders.flatMap(({ discount, discounts }) => [discount, ...(discounts ?? [])])
  const byId = new Map<string, Discount>()
  for (const each of whole) if (each && typeof each !== 'string' && each.id !== null) byId.set(each.id, each)
  return byId
}

/** What `discounts` lists, each whole where the payload has it; else what `discount` holds. */
function listedIn({ discount, discounts }: GivenDiscounts, byId: ReadonlyMap<string, Discount>): Listed[] {
  if (!discounts?.length) return discount ? [discount] : []
  const [only] = discounts
  // Until 2020 discounts had no ids: the object that stands beside the only id is the one that the id means.
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
      cancel_at_period_end: z.boolean().nullish(),
      cancel_at: Seconds.nullish(),
      metadata: Metadata,
    }),
  )
  .transform(subscription => {
    const { items, plan, quantity, discount, discounts } = subscription
    const defaultTaxes = includedIn(subscription.default_tax_rates)
    // One plan and its quantity stood on the subscription itself before there were items.
    const given: Partial<GivenItem>[] = items?.data ?? (plan ? [{ plan, quantity }] : [])
    const byId = discountsById([subscription, ...given])
    const read = given.flatMap((item): Item[] => {
      if (item.deleted) return []
      const ownTaxes = item.tax_rates?.length ? includedIn(item.tax_rates) : defaultTaxes
      return [
        {
          id: item.id ?? null,
          price: item.price ?? item.plan ?? null,
          quantity: item.quantity ?? 1,
          discounts: listedIn(item, byId),
          includedTaxes: ownTaxes,
        },
      ]
    })
    const says = discount !== undefined || discounts != null
    return {
      id: subscription.id,
      status: subscription.status,
      customerId: subscription.customer,
      visitorId: subscription.metadata,
      state: {
        status: subscription.status,
        // ISO 4217 for "no currency", of a subscription without any price.
        currency: subscription.currency ?? read.find(item => item.price?.currency)?.price?.currency ?? 'XXX',
        isEnding: subscription.cancel_at_period_end === true || subscription.cancel_at != null,
        items: read,
        /** More items than the payload holds. */
        isCut: items?.has_more === true,
        /** Of the whole subscription; null when the payload does not say. */
        discounts: says ? listedIn(subscription, byId) : null,
      },
    }
  })
export type SubscriptionState = z.infer<typeof Subscription>['state']
