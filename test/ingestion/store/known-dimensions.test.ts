import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { ofFile } from '../../support/of-file.ts'
import { createTestSite } from '../../support/sites.ts'

const START = Date.UTC(2026, 0, 5, 12)
const MINUTE = 60_000

const database = useDatabase()
const site = ofFile(() => createTestSite(database.db))

/** Stores hits of one visitor one by one; returns the entry path and country that are stored with each. */
async function visit(visitorId: string, paths: string[]) {
  for (const [index, url] of paths.entries()) {
    const at = START + index * MINUTE
    await storeHits(database.db, 0, [enrichedHit(site, at, { visitorId, url, country: 'NP' })])
  }
  const rows = await database.db`
    select entry_path as entry, country from events
    where site_no = ${site.siteNo} and visitor_no = (select visitor_no from visitors where id = ${visitorId})
    order by at`
  return rows.map(({ entry, country }) => `${entry} ${country}`)
}

test('session dimensions: later hits have the values of the opening hit, also those too long for the cache', async () => {
  for (const entry of ['/first', `/${'long'.repeat(400)}`]) {
    const paths = [entry, '/second', '/third', '/fourth']
    expect(await visit(randomUUID(), paths)).toEqual(paths.map(() => `${entry} NP`))
  }
})

test('session dimensions: a session number that was reused after a database restore is read again', async () => {
  const { db } = database
  const visitorId = randomUUID()
  await visit(visitorId, ['/lost', '/known'])
  const [lost] = await db`
    update sessions set entry_path = '/other', started_at = started_at - interval '1 minute', first_at = first_at - interval '1 minute'
    where visitor_no = (select visitor_no from visitors where id = ${visitorId})
    returning session_no as "sessionNo"`
  await storeHits(db, 0, [enrichedHit(site, START + 3 * MINUTE, { visitorId, url: '/after' })])
  const [after] = await db`
    select session_no as "sessionNo", entry_path as entry from events
    where site_no = ${site.siteNo} and path = '/after'`
  expect(after).toEqual({ sessionNo: lost!.sessionNo, entry: '/other' })
})
