// @module-tag full
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { connectionToRead, importSite } from '../../../src/money/import/import-site.ts'
import { importPastEvents } from '../../../src/money/import/past-events.ts'
import { reconcileMrr } from '../../../src/money/subscriptions/reconcile-mrr.ts'
import { runs, seeded } from '../../support/runs.ts'
import { outcomeOf } from '../../support/shop-outcome.ts'
import { deliverAll, openShop, type StripeEvent } from '../../support/stripe.ts'
import { apiWithLists } from '../../support/stripe-lists.ts'
import { Lives, live } from './lives.ts'

const { api, stripe } = apiWithLists()

const open = () => openShop(api, { apiKey: 'rk_test_good' })

test('import of the past: imported alone, from its events, or with events before, after and during it, everything counts once, as if all events had come', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(Lives, fc.infiniteStream(fc.nat(99)), fc.nat(40), async (lives, numbers, stopAfter) => {
      const account = live(lives)
      stripe.lists = account.lists()
      const told = await open()
      await deliverAll(told, account.events)
      const expected = await outcomeOf(told)

      stripe.eventsSince = Number.POSITIVE_INFINITY
      const imported = await open()
      await importSite(api.services, imported.siteId)
      expect(await outcomeOf(imported)).toEqual(expected)
      expect((await reconcileMrr(api.services, imported.siteId)).drift).toEqual([])

      const many = await open()
      const connection = await connectionToRead(api.services, many.siteId)
      const options = { ...api.services, stripeApiBase: api.services.config.stripeApiBase }
      const texts = account.events.map(event => JSON.stringify(event))
      // The second time with events that are known already.
      for (const some of [texts.slice(0, texts.length / 2), texts])
        await importPastEvents(options, connection, some)
      expect(await outcomeOf(many)).toEqual(expected)

      // Some events are still there for the import, too.
      stripe.eventsSince = account.events[Math.floor(account.events.length / 2)]!.created
      const mixed = await open()
      const later: StripeEvent[] = []
      for (const each of account.events) {
        if ((numbers.next().value as number) < 50) await deliverAll(mixed, [each])
        else later.push(each)
      }
      // The first attempt is stopped in the middle, with an event after each of its steps.
      let steps = 0
      const stopped = importSite(api.services, mixed.siteId, {
        onStep: () => {
          if (++steps > stopAfter) throw new Error('stopped')
        },
      })
      const during = later.splice(0, 5)
      await Promise.all([stopped.catch(() => {}), deliverAll(mixed, during)])
      await importSite(api.services, mixed.siteId)
      await deliverAll(mixed, later)
      await importSite(api.services, mixed.siteId)
      expect(await outcomeOf(mixed)).toEqual(expected)
    }),
    { seed: seeded(20_260_101), numRuns: runs(4), endOnFailure: true },
  )
})
