import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { getPeople, PeopleQuery } from '../../../src/stats/people/list-people.ts'
import { useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { readServices, readSite } from '../../support/read-services.ts'
import { createTestSite } from '../../support/sites.ts'

const database = useDatabase()
const NOON = Date.UTC(2026, 2, 10, 12)
const USERS: [identifier: string, name: string | undefined][] = [
  ['ada@example.com', 'Ada Lovelace'],
  ['u-42', 'Éva 100% [ok]'],
  ['GRACE', undefined],
  ['nobody', 'Ann Adams'],
]

test.each([
  ['', ['nobody', 'GRACE', 'u-42', 'ada@example.com']],
  ['ADA', ['nobody', 'ada@example.com']],
  ['grace', ['GRACE']],
  ['éva', ['u-42']],
  ['100% [', ['u-42']],
  ['LOVE', ['ada@example.com']],
  ['.*', []],
  ['(none)', []],
])('people: a search for "%s" finds users by identifier and name, in any case', async (search, expected) => {
  const { db } = database
  const site = await createTestSite(db)
  const hits = USERS.flatMap(([identifier, name], index) => {
    const visitorId = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
    const identity = { identifier, ...(name !== undefined && { name }) }
    return [
      enrichedHit(site, NOON + index, { visitorId }),
      enrichedHit(site, NOON + index + 1, { visitorId, type: 'identify', identity }),
    ]
  })
  await storeHits(db, 0, hits)
  const services = readServices(db, new Date(NOON + 60_000))
  for (const filters of [{}, { path: { is: ['/'] } }]) {
    const query = PeopleQuery.parse({ range: 'today', kind: 'users', search, ...filters })
    const { rows, total } = await getPeople(services, readSite(site, 'UTC'), query)
    expect([rows.map(row => row.user_id), total]).toEqual([expected, expected.length])
  }
})
