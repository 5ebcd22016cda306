import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { writeServiceEvents } from '../../../src/money/ledger/service-events.ts'
import { SECTIONS } from '../../../src/platform/dimensions/sections.ts'
import type { DimensionFilter } from '../../../src/stats/conditions/conditions.ts'
import { getPerson, PersonQuery } from '../../../src/stats/people/person-detail.ts'
import { getTimeline, TimelineQuery } from '../../../src/stats/people/timeline.ts'
import { getSessions, SessionsQuery } from '../../../src/stats/sessions/list-sessions.ts'
import { getSession, SessionQuery } from '../../../src/stats/sessions/session-detail.ts'
import type { Grant } from '../../../src/stats/sharing/grant.ts'
import { useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { readServices, readSite } from '../../support/read-services.ts'
import { createTestSite } from '../../support/sites.ts'

const database = useDatabase()
const NOON = Date.UTC(2026, 2, 10, 12)
const ADA = '00000000-0000-4000-8000-00000000000a'

const is = (dimension: DimensionFilter['dimension'], value: string): DimensionFilter => ({
  dimension,
  condition: { field: dimension, operator: 'is', values: [value] },
})

/** One session: two pageviews of one path and moment with engagement, an event at that moment, and a page later. */
async function store() {
  const { db } = database
  const site = await createTestSite(db)
  const hit = (at: number, fields: object) =>
    enrichedHit(site, NOON + at, { visitorId: ADA, country: 'DE', ...fields })
  await storeHits(db, 0, [
    hit(0, { url: '/', title: 'Home' }),
    hit(1_000, { url: '/a', title: 'One' }),
    hit(1_000, { url: '/a', title: 'Two' }),
    hit(1_000, { type: 'event', name: 'signup', url: '/a', title: 'Two' }),
    hit(2_000, { url: '/b', title: 'Two' }),
    hit(9_000, { type: 'engagement', url: '/a', pageAt: NOON + 1_000, engagedMs: 5_000, scroll: 70 }),
  ])
  const payment = { name: 'payment', at: new Date(NOON + 1_000), key: 'sale', visitorId: ADA } as const
  await db.begin(tx => writeServiceEvents(tx, site, [payment]))
  const rows = await db<{ id: string; what: string }[]>`
    select id::text as id, concat_ws(' ', type, path, title) as what from events
    where site_no = ${site.siteNo} and type <> 'engagement' and not is_service
    order by at, id`
  return { site: readSite(site, 'UTC'), rows }
}

function readerWith(filters: DimensionFilter[]) {
  const grant = { sections: new Set(SECTIONS), filters } as unknown as Grant
  return {
    ...readServices(database.db, new Date(NOON + 60_000)),
    grant: filters.length > 0 ? grant : null,
    pageUrl: () => null,
  }
}

test.each<[string, DimensionFilter[], (what: string) => boolean]>([
  ['no filter', [], () => true],
  ['of its session', [is('country', 'DE')], () => true],
  ['of a path', [is('path', '/a')], what => what.includes('/a')],
  ['of a title', [is('title', 'One')], what => what.includes('One')],
  ['of an event', [is('event_name', 'signup')], what => what.startsWith('event')],
  ['of both', [is('country', 'DE'), is('title', 'Two')], what => what.includes('Two')],
])('a share with filters shows a session and of it the hits that pass: %s', async (_, filters, passes) => {
  const { site, rows } = await store()
  const reader = readerWith(filters)
  const { data } = await getSessions(readerWith([]), site, SessionsQuery.parse({ range: 'today' })).then(
    ({ rows: [row] }) => getSession(reader, site, SessionQuery.parse({ session: row!.session_id })),
  )
  const shown = rows.filter(({ what }) => passes(what))
  expect(data.map(({ id }) => id)).toEqual(shown.map(({ id }) => id))
  // The engagement belongs to the last of the pageviews of its path and moment that are shown.
  const engaged = shown.findLast(({ what }) => what.startsWith('pageview /a'))
  expect(data.filter(hit => hit.scroll === 70).map(({ id }) => id)).toEqual(engaged ? [engaged.id] : [])
})

test('pages of the hits of a session under filters have the number of all', async () => {
  const { site, rows } = await store()
  const { rows: sessions } = await getSessions(
    readerWith([]),
    site,
    SessionsQuery.parse({ range: 'today', visitor_id: ADA }),
  )
  const shown = rows.filter(({ what }) => what.includes('/a'))
  const ids: string[] = []
  for (let page = 1; page <= shown.length + 1; page++) {
    const query = SessionQuery.parse({ session: sessions[0]!.session_id, page, per_page: 1 })
    const { data, meta } = await getSession(readerWith([is('path', '/a')]), site, query)
    expect(meta.total).toBe(shown.length)
    ids.push(...data.map(({ id }) => id))
  }
  expect(ids).toEqual(shown.map(({ id }) => id))
})

test('a share whose filters leave nothing of a session or a person does not know them', async () => {
  const { site } = await store()
  const { rows } = await getSessions(readerWith([]), site, SessionsQuery.parse({ range: 'today' }))
  const person = { range: 'today', person: ADA }
  for (const filter of [is('country', 'FR'), is('title', 'Three')]) {
    const reader = readerWith([filter])
    const notFound = { code: 'not_found' }
    const session = SessionQuery.parse({ session: rows[0]!.session_id })
    await expect(getSession(reader, site, session)).rejects.toMatchObject(notFound)
    await expect(getPerson(reader, site, PersonQuery.parse(person))).rejects.toMatchObject(notFound)
    await expect(getTimeline(reader, site, TimelineQuery.parse(person))).rejects.toMatchObject(notFound)
  }
  const reader = readerWith([is('path', '/a')])
  expect(await getPerson(reader, site, PersonQuery.parse(person))).toMatchObject({
    sessions: 1,
    pageviews: 4,
  })
  const { rows: items, total } = await getTimeline(reader, site, TimelineQuery.parse(person))
  expect([items.map(({ kind, name }) => `${kind} ${name}`.trim()), total]).toEqual([
    ['event signup', 'session'],
    2,
  ])
})
