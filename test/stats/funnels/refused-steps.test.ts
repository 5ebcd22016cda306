import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { FunnelQuery } from '../../../src/stats/funnels/funnel-query.ts'
import { readFunnel } from '../../../src/stats/funnels/read-funnel.ts'
import { useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { readServices, readSite } from '../../support/read-services.ts'
import type { RecountGoal } from '../../support/recount-conversions.ts'
import { createTestSite } from '../../support/sites.ts'
import { replaceGoals } from '../../support/stored-visits.ts'

const database = useDatabase()
const AT = Date.UTC(2026, 2, 10, 12)
/** More than 2,500 instructions for each character of a path. */
const COSTLY = '[ab]{1000}[ab]{1000}[ab]{1000}'
const INVALID = '[ab]{1001}'

test('funnels: a step that cannot be looked for, or takes too long, is named', async () => {
  const { db } = database
  const site = await createTestSite(db)
  await storeHits(db, 0, [enrichedHit(site, AT, { url: `/${'a'.repeat(2_000)}` })])
  const goal: RecountGoal = {
    ...{ id: randomUUID(), display_name: 'Read', type: 'page', match_operator: 'matches_regex' },
    ...{ match_value: COSTLY, scroll_threshold: -1, currency: null, custom_props: {} },
  }
  await replaceGoals(db, site, [goal])
  const shape = { ...readSite(site, 'UTC'), domain: 'shop.example' }
  const first = { type: 'pageview', value: '/' }
  const read = (step: object) =>
    readFunnel(
      readServices(db, new Date(AT)),
      shape,
      FunnelQuery.parse({ from: '2026-03-10', to: '2026-03-10', steps: JSON.stringify([first, step]) }),
    )
  const refusal = (field: string, what: RegExp) => ({
    code: 'validation_failed',
    fields: { [field]: [expect.stringMatching(what)] },
  })
  const own = { type: 'pageview', operator: 'matches_regex', value: COSTLY }
  await expect(read(own)).rejects.toMatchObject(refusal('steps.1.value', /^takes too long on /))
  await expect(read({ ...own, type: 'scroll', scroll_threshold: 50 })).rejects.toMatchObject(
    refusal('steps.1.value', /^takes too long on /),
  )
  await expect(read({ ...own, value: INVALID })).rejects.toMatchObject(
    refusal('steps.1.value', /^is not a regular expression/),
  )
  await expect(read({ goal: goal.id })).rejects.toMatchObject(
    refusal('steps.1.goal', /^The goal Read \(.*\) takes too long to look for /),
  )
})
