import type { Hit } from '../../../../src/ingestion/hit.ts'
import { storeHits } from '../../../../src/ingestion/store/store.ts'
import { checkRules } from '../../../../src/outgoing/notifications/alerts/check-rules.ts'
import { enrichedHit } from '../../../support/hits.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import { startWorld } from '../webhooks/world.ts'

const visits = (site: { id: string; siteNo: number }, count: number, at: number, fields: Partial<Hit>) =>
  Array.from({ length: count }, (_, index) => enrichedHit({ ...site, key: '' }, at - index, fields))

/** The world of webhooks with a mail server, and checks of alerts. */
export async function startAlertWorld() {
  const mails = await startMailServer()
  const world = await startWorld({ mails })
  const check = (isBehind = false) => checkRules(world.api.services, world.now(), isBehind)

  return {
    ...world,
    mails,
    check,
    /** Lets the time pass in steps of five minutes, with a check at the end of each. */
    async pass(ms: number, stepMs = 300_000) {
      for (const end = world.clock.at + ms; world.clock.at < end; ) {
        world.clock.at += stepMs
        await world.run()
        await check()
      }
    },
    async siteWithHits() {
      const site = await world.site()
      return {
        site,
        store: (count: number, at = world.clock.at, fields: Partial<Hit> = {}) =>
          storeHits(world.db, 'all', visits(site, count, at, fields)),
        /** Stores visits at several times in one transaction. */
        storeAt: (times: readonly number[], countAt: (index: number) => number, fields: Partial<Hit> = {}) =>
          storeHits(
            world.db,
            'all',
            times.flatMap((at, index) => visits(site, countAt(index), at, fields)),
          ),
        async alert(name: string, condition: object, rest: object = {}) {
          const made = await world.call('POST', `${site.id}/alerts`, { name, condition, ...rest })
          if (made.status !== 201) throw new Error(JSON.stringify(made.body))
          return made.body
        },
        /** Makes a goal: views of `/buy` unless `body` says otherwise. */
        goal: async (body: object = { match_type: 'page', match_value: '/buy' }) =>
          (await world.call('POST', `${site.id}/goals`, body)).body,
        incidents: async () => (await world.call('GET', `${site.id}/alerts/incidents`)).body.data,
        /** The owners of all addresses that were named agree. */
        agree: () => world.db`
          update mail_recipients set confirmed_at = ${world.now()} where site_no = ${site.siteNo}`,
      }
    },
    async close() {
      await world.close()
      await mails.close()
    },
  }
}
