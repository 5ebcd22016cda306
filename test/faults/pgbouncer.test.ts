// @module-tag full
// @needs timescaledb pgbouncer
import { expect, test } from 'vitest'
import { moreAccepted } from '../support/load.ts'
import { ofFile } from '../support/of-file.ts'
import { pgbouncer } from '../support/pgbouncer.ts'
import { postgresPair } from '../support/postgres-pair.ts'
import { startLoadedService } from './loaded-service.ts'

const pair = ofFile(postgresPair)
const toPrimary = ofFile(() => pgbouncer(pair.primaryUrl))
const toStandby = ofFile(() => pgbouncer(pair.standbyUrl))
const service = ofFile(() =>
  startLoadedService({ DATABASE_URL: toPrimary.url, DATABASE_READ_URLS: toStandby.url }),
)

test('PgBouncer in transaction mode: hits are stored once while PgBouncer crashes, and all kinds of reads are answered', async () => {
  const site = await service.newSite()
  const statuses = new Set<number>()
  const read = async (path: string) => {
    const answer = await fetch(`${service.primary.url}/api/sites/${site.id}/${path}`, {
      headers: { Authorization: `Bearer ${service.token}` },
    })
    statuses.add(answer.status)
    await answer.arrayBuffer()
  }
  const result = await service.load(site, async load => {
    for (let round = 0; round < 20; round++) {
      await Promise.all([
        read('overview?range=today'),
        read('overview?range=today&path=/1'),
        read('stats/breakdown?dimension=path&range=today'),
        read('stats/events?range=today'),
      ])
      if (round === 10) await toPrimary.crash()
      await moreAccepted(load, 20)
    }
  })
  expect([...result.refused.keys()].filter(outcome => outcome !== '503')).toEqual([])
  expect([...statuses].filter(status => status !== 503)).toEqual([200])
  await service.expectStoredOnce(site, result)
})
