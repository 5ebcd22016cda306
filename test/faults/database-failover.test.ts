// @module-tag full
// @needs timescaledb
import { expect, test } from 'vitest'
import { moreAccepted } from '../support/load.ts'
import { ofFile } from '../support/of-file.ts'
import { postgresPair } from '../support/postgres-pair.ts'
import { eventually, isReady } from '../support/service.ts'
import { createTestSite } from '../support/sites.ts'
import { startLoadedService } from './loaded-service.ts'

const pair = ofFile(postgresPair)
const service = ofFile(() =>
  startLoadedService({ DATABASE_URL: pair.url, DATABASE_READ_URLS: pair.standbyUrl }),
)

test('fail-over of the database: when the primary is gone, the service goes on with the promoted standby within 10 s, and each accepted hit is stored once', async () => {
  const site = await createTestSite(service.db)
  const result = await service.load(site, async load => {
    await moreAccepted(load, 300)
    await pair.killPrimary()
    await eventually(async () => !(await isReady(service.primary.url)))
    await pair.promote()
    await eventually(() => isReady(service.primary.url), 10_000)
    await moreAccepted(load, 200)
  })
  // Hits wait in Redis meanwhile: none is refused but those of sites that no worker knows yet.
  expect([...result.refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
  await service.expectStoredOnce(site, result)
})
