import { expect, test } from 'vitest'
import {
  apiOfFile,
  deliverAll,
  event,
  item,
  type Json,
  onDay,
  openShop,
  price,
  subscription,
} from '../../support/stripe.ts'

const api = apiOfFile()

const inclusive = price(1190, { tax_behavior: 'inclusive' })
const rate = { id: 'txr_1', object: 'tax_rate', inclusive: true, percentage: 19 }
const automatic = { automatic_tax: { enabled: true } }

test.each<[string, Json, number, boolean]>([
  ['an inclusive price with automatic tax', { items: [item(inclusive)], ...automatic }, 1190, true],
  ['an inclusive price without tax', { items: [item(inclusive)] }, 1190, false],
  [
    'an inclusive price with a rate',
    { items: [item(inclusive, { tax_rates: [rate] })], ...automatic },
    1000,
    false,
  ],
  [
    'an exclusive price with automatic tax',
    { items: [item(price(1000, { tax_behavior: 'exclusive' }))], ...automatic },
    1000,
    false,
  ],
])('explain: %s says whether its MRR has tax in it', async (_what, options, mrr, includes_tax) => {
  const shop = await openShop(api)
  await deliverAll(shop, [event('customer.subscription.created', subscription(options), onDay(1))])
  for (const [query, term] of [
    ['read=overview&metric=mrr', 'mrr_change'],
    ['read=money&metric=mrr', 'mrr'],
  ] as const) {
    const path = `/api/sites/${shop.siteId}/explain?${query}&from=2026-01-01&to=2026-01-31`
    const { body } = await api.call('GET', path, shop.member)
    expect(body).toMatchObject({ terms: { [term]: mrr }, rows: { data: [{ includes_tax }] } })
  }
})
