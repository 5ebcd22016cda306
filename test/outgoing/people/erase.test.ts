import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { EnrichedHit, Hit } from '../../../src/ingestion/hit.ts'
import { erasePeople } from '../../../src/outgoing/people/erase/erase-people.ts'
import { purgeDeletedSites } from '../../../src/outgoing/retention/purge-deleted-sites.ts'
import { createTeamTurns } from '../../../src/platform/lib/team-turns.ts'
import type { View } from '../../../src/storage/columns/block.ts'
import { SiteColumns } from '../../../src/storage/columns/site-columns.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { everythingOf } from '../../contract/everything.ts'
import { type StatsSite, startStats } from '../../contract/stats-site.ts'
import { dbOf } from '../../support/database.ts'
import { dyingAfter } from '../../support/dying-after.ts'
import { enrichedHit } from '../../support/hits.ts'
import { silentLog } from '../../support/log.ts'
import { ofFile } from '../../support/of-file.ts'
import { sweep } from '../../support/runs.ts'
import { aggregateAll, ask, eraseNow, expectConsistent, TINY, tracesOf, work } from './steps.ts'

const NOW = '2026-03-18T12:00:00Z'
const now = new Date(NOW)
/** Clocks go forward on 8 March there. */
const ZONE = 'America/New_York'

const stats = ofFile(() => startStats(NOW))
const db = dbOf(ofFile(async () => ({ db: stats.api.services.db })))

type Fields = Omit<Partial<Hit>, 'at'> & { at: string }

/** Text that only the person has. */
const SECRET = `only-${randomUUID().slice(0, 8)}`

/** Hits of one visitor on days before, on and after the change of clocks, and today. */
function visitsOf(visitorId: string, own: string): Fields[] {
  const error = (name: string, message: string) =>
    ({ type: 'error', name: 'error', url: '/', error: { name, message } }) as const
  const hits: Fields[] = [
    { at: '00:00', url: '/', title: 'Home', referrer: 'https://www.google.com/' },
    { at: '01:00', url: `/${own}?utm_source=${own}`, title: own },
    { at: '01:30', type: 'engagement', url: `/${own}`, scroll: 80, engagedMs: 5_000 },
    { at: '02:00', type: 'event', name: 'signup', url: '/', props: { plan: own } },
    { at: '03:00', ...error('TypeError', own) },
    // Twice: errors of the same number would be in order of their ids, which differ between sites.
    { at: '03:30', ...error('RangeError', 'shared') },
    { at: '04:00', ...error('RangeError', 'shared') },
  ]
  const hours = ['2026-02-10T15', '2026-03-08T06', '2026-03-08T07', '2026-03-09T03', '2026-03-18T10']
  return hours.flatMap(hour => hits.map(hit => ({ ...hit, at: `${hour}:${hit.at}Z`, visitorId })))
}

const hitsOf = (site: StatsSite, visits: Fields[]): EnrichedHit[] =>
  visits
    .map(({ at, ...fields }) => enrichedHit(site, Date.parse(at), { userAgent: FIREFOX, ...fields }))
    .sort((a, b) => a.at - b.at)

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Two sites with the same goals: one that had the person, and one that never had. */
async function twins(others: Fields[], person: Fields[]) {
  const [site, twin] = [await stats.site(ZONE), await stats.site(ZONE)]
  for (const each of [site, twin]) {
    await stats.goal(each, { match_type: 'event', match_value: 'signup' })
    await stats.goal(each, { match_type: 'scroll', match_value: '/other', scroll_threshold: 50 })
  }
  await stats.store(hitsOf(site, [...others, ...person]))
  await stats.store(hitsOf(twin, others))
  return { site, twin }
}

async function expectTwins(site: StatsSite, twin: StatsSite): Promise<void> {
  await expectConsistent(db, site)
  expect(await everythingOf(stats, site)).toBe(await everythingOf(stats, twin))
}

const [ADA, BEN] = [randomUUID(), randomUUID()]
const page = (at: string, fields: object = {}): Fields => ({ at, visitorId: ADA, url: '/', ...fields })
const identify = (at: string, identifier: string, fields: object = {}): Fields => {
  const identity = { identifier, name: 'Ada', custom: { plan: 'x' } }
  return { at, visitorId: ADA, type: 'identify', identity, ...fields }
}

test.each(
  sweep([
    ['as rows, in the smallest parts', false, TINY],
    ['in the columnstore and rolled up', true, {}],
  ]),
)(
  'erasure of a visitor: every answer is as if they had never come (%s)',
  async (_how, isSettled, options) => {
    const { site, twin } = await twins(visitsOf(BEN, 'other'), visitsOf(ADA, SECRET))
    if (isSettled) {
      await aggregateAll(db, now)
      await compressSettledChunks(db, now)
      expect(await tracesOf(db, SECRET)).toContain('value_dictionary')
    }
    await eraseNow(db, site, ADA.toUpperCase(), now, options)
    expect(await tracesOf(db, ADA)).toEqual([])
    expect(await tracesOf(db, SECRET)).toEqual([])
    await expectTwins(site, twin)
  },
)

test('erasure of a visitor: columns in memory have none of their texts from the next question on', async () => {
  const site = await stats.site(ZONE)
  await stats.store(hitsOf(site, [...visitsOf(BEN, 'other'), ...visitsOf(ADA, SECRET)]))
  const columns = new SiteColumns(site.siteNo)
  const asked = { start: Date.parse('2026-01-01T00:00:00Z'), end: now.getTime() }
  const paths = async () => {
    const { views } = await columns.views(db, [asked], now.getTime())
    return (views[0] as View).texts.of('path').all()
  }
  expect(await paths()).toContain(`/${SECRET}`)
  await eraseNow(db, site, ADA, now)
  expect(await paths()).not.toContain(`/${SECRET}`)
  expect(await paths()).toContain('/other')
})

test('erasure of the only visitor: the site has no data any more, and no dead letters of the person', {
  tags: ['full'],
}, async () => {
  const { site, twin } = await twins([], visitsOf(ADA, SECRET))
  for (const visitorId of [ADA, BEN])
    await db`
      insert into dead_letters (id, site_no, reason, payload)
      values (gen_random_uuid(), ${site.siteNo}, 'x', ${JSON.stringify({ visitorId })})`
  await aggregateAll(db, now)
  await eraseNow(db, site, ADA, now)
  const left = await db`select payload from dead_letters where site_no = ${site.siteNo}`
  expect(left.map(({ payload }) => JSON.parse(payload).visitorId)).toEqual([BEN])
  await expectTwins(site, twin)
  expect((await stats.read(site, '')).has_data).toBe(false)
})

test('erasure of a user: their visits go, and other visits of the same visitor stay and are counted from 1', {
  tags: ['full'],
}, async () => {
  const user = `${SECRET}@example.com`
  const others: Fields[] = [
    ...visitsOf(BEN, 'other'),
    page('2026-03-02T10:00:00Z', { url: '/between', title: 'Home' }),
    page('2026-03-12T10:00:00Z', { url: '/after', title: 'Home' }),
    identify('2026-03-12T10:01:00Z', 'another'),
  ]
  const phone = { visitorId: randomUUID() }
  const person: Fields[] = [
    page('2026-02-20T10:00:00Z', { url: '/first', title: SECRET }),
    identify('2026-02-20T10:20:00Z', user),
    identify('2026-03-08T07:30:00Z', user),
    page('2026-03-08T07:31:00Z', { url: `/${SECRET}`, title: SECRET }),
    page('2026-03-15T10:00:00Z', { title: SECRET, ...phone }),
    identify('2026-03-15T10:01:00Z', user, phone),
  ]
  const { site, twin } = await twins(others, person)
  await aggregateAll(db, now)
  await compressSettledChunks(db, now)
  await eraseNow(db, site, user, now, TINY)
  for (const trace of [user, phone.visitorId, SECRET]) expect(await tracesOf(db, trace)).toEqual([])
  // An identify hit that no session took says of nobody who they are.
  await db`delete from events where site_no = ${site.siteNo} and session_no is null`
  await expectTwins(site, twin)
  const { data } = await stats.read(site, '/stats/breakdown?dimension=user_id&range=all')
  expect(data.map(({ value }: { value: string }) => value).sort()).toEqual(['(none)', 'another'])
})

test('erasure of a visitor: identities go with them unless somebody else has them', async () => {
  const visitsAs = (visitorId: string) => [
    page('2026-03-10T10:00:00Z', { visitorId }),
    identify('2026-03-10T10:01:00Z', 'both', { visitorId }),
    page('2026-03-11T10:00:00Z', { visitorId }),
  ]
  const alone = [page('2026-03-12T10:00:00Z'), identify('2026-03-12T10:01:00Z', 'alone')]
  const { site } = await twins(visitsAs(BEN), [...visitsAs(ADA), ...alone])
  await eraseNow(db, site, ADA, now)
  const left = await db`select identifier from identities where site_no = ${site.siteNo}`
  expect(left.map(({ identifier }) => identifier)).toEqual(['both'])
})

test('erasure: an identity that waits for a hit does not come back with it', { tags: ['full'] }, async () => {
  const waiting = [identify('2026-03-18T11:50:00Z', 'waiting')]
  const { site } = await twins(visitsOf(BEN, 'other'), waiting)
  await eraseNow(db, site, 'waiting', now)
  await stats.store(hitsOf(site, [page('2026-03-18T11:59:00Z')]))
  const sessions = await db`select user_id as "userId" from sessions where site_no = ${site.siteNo}`
  expect(new Set(sessions.map(({ userId }) => userId))).toEqual(new Set(['']))
  await expectConsistent(db, site)
})

test('erasure: hits that come after the request are new data', async () => {
  const { site } = await twins([], visitsOf(ADA, SECRET))
  await ask(db, site, ADA, new Date('2026-03-18T11:00:00Z'))
  await stats.store(hitsOf(site, [page('2026-03-18T11:30:00Z')]))
  await work(db, now, TINY)
  await aggregateAll(db, now)
  await work(db, now)
  const sessions = await db`select visit_count, started_at from sessions where site_no = ${site.siteNo}`
  expect(sessions).toEqual([{ visit_count: 1, started_at: new Date('2026-03-18T11:30:00Z') }])
  await expectConsistent(db, site)
})

test('teams take turns: an erasure of one team goes on while an older, longer one of another runs', async () => {
  const [one, other] = [await stats.site(), await stats.site()]
  const { teamId } = await stats.api.member()
  await db`update sites set team_id = ${teamId} where site_no = ${other.siteNo}`
  await stats.store([...hitsOf(one, visitsOf(ADA, SECRET)), ...hitsOf(other, visitsOf(ADA, SECRET))])
  await ask(db, one, ADA, new Date(now.getTime() - 1))
  await ask(db, other, ADA, now)
  const teams = createTeamTurns()
  const steps = async () => {
    await erasePeople({ db, log: silentLog }, now, { ...TINY, teams })
    const rows = await db`
      select site_no, step from erasures where site_no in (${one.siteNo}, ${other.siteNo}) order by requested_at`
    return rows.map(({ step }) => step)
  }
  expect(await steps()).toEqual(['sessions', 'prepare'])
  expect(await steps()).toEqual(['sessions', 'sessions'])
  await aggregateAll(db, now)
  await work(db, now)
})

test('an erasure that is killed after any statement is continued', { tags: ['full'] }, async () => {
  const { site, twin } = await twins(visitsOf(BEN, 'other'), visitsOf(ADA, SECRET))
  await aggregateAll(db, now)
  await compressSettledChunks(db, now)
  await ask(db, site, ADA, now)
  const isFinished = async () =>
    (await db`select from erasures where site_no = ${site.siteNo} and person is not null`).length === 0
  for (let calls = 1; !(await isFinished()); calls += 5) {
    const given = { db: dyingAfter(db, calls), log: silentLog }
    await erasePeople(given, now).catch(error => expect(error.message).toBe('killed'))
    if (calls % 25 === 1) await aggregateAll(db, now)
  }
  await expectTwins(site, twin)
  expect(await db`select from erasure_items where site_no = ${site.siteNo}`).toEqual([])
})

test('the erasure of a site that is deleted meanwhile stops, and its rows go with the site', {
  tags: ['full'],
}, async () => {
  const { site } = await twins([], visitsOf(ADA, SECRET))
  await ask(db, site, ADA, now)
  await erasePeople({ db, log: silentLog }, now, TINY)
  await db`update sites set deleted_at = ${now} where site_no = ${site.siteNo}`
  expect(await erasePeople({ db, log: silentLog }, now)).toBe(false)
  for (let run = 0; run < 20; run++) await purgeDeletedSites(db, now)
  for (const table of ['erasures', 'erasure_items', 'events'])
    expect(await db`select from ${db(table)} where site_no = ${site.siteNo} limit 1`, table).toEqual([])
})
