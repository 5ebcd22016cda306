import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { expireReplays } from '../../../src/ingestion/replays/expire-replays.ts'
import type { ReplayJob } from '../../../src/ingestion/replays/replay-job.ts'
import { storeChunk } from '../../../src/ingestion/replays/store-chunk.ts'
import { purgeDeletedSites } from '../../../src/outgoing/retention/purge-deleted-sites.ts'
import { DAY, hit, type StatsSite, startStats, THAT_DAY } from '../../contract/stats-site.ts'
import { eventsAt, replayJob } from '../../ingestion/replays/chunks.ts'
import { eraseNow } from '../../outgoing/people/steps.ts'
import { ofFile } from '../../support/of-file.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const at = (time: string) => Date.parse(`${DAY}T${time}Z`)

const stats = ofFile(() => startStats(NOW.toISOString()))

const record = async (site: StatsSite, time: string, fields: Partial<ReplayJob> & { content?: object[] }) => {
  const job = replayJob(site, at(time), fields)
  expect(await storeChunk(stats.api.services.db, job)).toBe('stored')
  return job
}
const visit = (site: StatsSite, visitorId: string, time: string, browserName = 'Firefox') =>
  stats.store([hit(site, `${DAY}T${time}Z`, { visitorId, url: '/a' }, { browserName })])

const ids = (rows: { visitor_id: string }[]) => rows.map(row => row.visitor_id)

/** All pages of a list that goes on with a cursor. */
async function pagesOf(site: StatsSite, path: string) {
  const pages = [await stats.read(site, path)]
  while (pages.at(-1).next_cursor)
    pages.push(await stats.read(site, `${path}cursor=${pages.at(-1).next_cursor}`))
  return pages
}

/** Three visitors, of whom the first two were recorded. */
async function story() {
  const site = await stats.site()
  const [ada, ben, cai] = [randomUUID(), randomUUID(), randomUUID()] as const
  await visit(site, ada, '09:00:00')
  await visit(site, ben, '10:00:00', 'Chrome')
  await visit(site, cai, '11:00:00')
  const first = await record(site, '09:00:05', { visitorId: ada })
  const second = await record(site, '09:00:10', { visitorId: ada, recording: first.recording, position: 1 })
  await record(site, '10:00:05', { visitorId: ben })
  const { data } = await stats.read(site, `/stats/replays?${THAT_DAY}`)
  const count = async () =>
    (await stats.api.services.db`select from replay_chunks where site_no = ${site.siteNo}`).length
  return { site, ada, ben, cai, first, second, rows: data, count }
}

test('replays: the list has the sessions that were recorded, the newest first, with filters and pages', async () => {
  const { site, ada, ben, cai, rows, first, second } = await story()
  expect(ids(rows)).toEqual([ben, ada])
  const { data: sessions } = await stats.read(site, `/stats/sessions?${THAT_DAY}`)
  const recorded = sessions.filter((row: { has_replay: boolean }) => row.has_replay)
  expect([ids(sessions), ids(recorded)]).toEqual([
    [cai, ben, ada],
    [ben, ada],
  ])
  expect(rows[1]).toMatchObject({
    ...{ entry_path: '/a', has_replay: true, recorded_seconds: 6, recordings: 1, chunks: 2 },
    bytes: [first, second].reduce((sum, job) => sum + Buffer.from(job.data, 'base64').length, 0),
  })
  const read = (query: string) => stats.read(site, `/stats/replays?${THAT_DAY}&${query}`)
  expect(ids((await read('browser=Firefox')).data)).toEqual([ada])
  expect((await read('browser=Firefox')).meta.total).toBe(1)
  expect((await read('browser=Safari')).data).toEqual([])
  const page = await read('page=2&per_page=1')
  expect([ids(page.data), page.meta.total]).toEqual([[ada], 2])
  expect((await read('page=3&per_page=1')).data).toEqual([])
  expect((await stats.read(site, '/stats/replays?from=2026-03-11&to=2026-03-11')).data).toEqual([])
})

test('replays: a replay has the events of its recordings in order, chunk by chunk', async () => {
  const { site, ada, rows, first } = await story()
  const { session_id } = rows[1]
  const later = await record(site, '09:01:00', { visitorId: ada })
  const answer = await stats.read(site, `/stats/replays/${session_id}`)
  expect(answer.replay).toMatchObject({ visitor_id: ada, chunks: 3, recordings: 2 })
  expect(answer.data).toMatchObject([
    { recording: first.recording, position: 0, path: '/pricing', events: eventsAt(at('09:00:05')) },
    { recording: first.recording, position: 1, events: eventsAt(at('09:00:10')) },
    { recording: later.recording, position: 0, received_at: `${DAY}T09:01:00.000Z` },
  ])
  expect(answer.next_cursor).toBeNull()
})

test('replays: an answer has a bounded size, and the next one goes on', async () => {
  const { site, ben, rows } = await story()
  const { session_id } = rows[0]
  const recording = randomUUID()
  const large = 'x'.repeat(2_500_000)
  for (const position of [0, 1, 2]) {
    const time = `10:01:0${position}`
    await record(site, time, { visitorId: ben, recording, position, content: eventsAt(at(time), 1, large) })
  }
  const pages = await pagesOf(site, `/stats/replays/${session_id}?`)
  const seen = pages.flatMap(({ data }) => data.map((chunk: { position: number }) => chunk.position))
  expect([seen, pages.length]).toEqual([[0, 0, 1, 2], 3])
})

test('replays: a session without a replay or of no form is not found, and a wrong cursor refused', async () => {
  const { site, cai, rows } = await story()
  const { data } = await stats.read(site, `/stats/sessions?${THAT_DAY}&visitor_id=${cai}`)
  for (const path of [
    `${site.path}/stats/replays/${data[0].session_id}`,
    `${site.path}/stats/replays/nothing`,
    `${site.path}/stats/replays/1hnzvs6o0-3f`,
  ]) {
    expect([path, (await stats.ask(path)).status]).toEqual([path, 404])
    const { status } = await stats.api.call('DELETE', path, { token: stats.owner.token })
    expect([path, status]).toEqual([path, 404])
  }
  for (const cursor of ['x', '', 'WzFd', 'a'.repeat(201)]) {
    const answer = await stats.ask(`${site.path}/stats/replays/${rows[0].session_id}?cursor=${cursor}`)
    expect([answer.status, Object.keys(answer.json.errors ?? {})], cursor).toEqual([422, ['cursor']])
  }
})

test('replays: a replay is deleted for good, and the log says by whom', async () => {
  const { site, rows, count } = await story()
  const path = `${site.path}/stats/replays/${rows[1].session_id}`
  expect((await stats.api.call('DELETE', path, { token: stats.owner.token })).status).toBe(204)
  expect([(await stats.ask(path)).status, await count()]).toEqual([404, 1])
  const [entry] = await stats.api.services.db`
    select details from audit_log where action = 'replay.delete' and object_id = ${rows[1].session_id}
      and details ->> 'site_id' = ${site.id}`
  expect(entry).toEqual({ details: { site_id: site.id } })
})

test('replays: those of a person are exported and erased, those of others stay until the site is purged', async () => {
  const { db } = stats.api.services
  const { site, ada, ben, first, second, count } = await story()
  // A bounded part a page.
  const pages = await pagesOf(site, `/visitors/${ada}/export?per_page=1&`)
  expect(pages.flatMap(({ replays }) => replays)).toMatchObject([
    { recording: first.recording, position: 0, path: '/pricing', events: eventsAt(at('09:00:05')) },
    { recording: second.recording, position: 1, events: eventsAt(at('09:00:10')) },
  ])
  await eraseNow(db, site, ada, NOW)
  expect(await count()).toBe(1)
  const { data } = await stats.read(site, `/stats/replays?${THAT_DAY}`)
  expect(ids(data)).toEqual([ben])
  await db`update sites set deleted_at = ${NOW} where site_no = ${site.siteNo}`
  const rows = async () => (await db`select from session_replays where site_no = ${site.siteNo}`).length
  for (let run = 0; run < 50 && (await count()) + (await rows()) > 0; run++) await purgeDeletedSites(db, NOW)
  expect([await count(), await rows()]).toEqual([0, 0])
})

test('replays: they are deleted after the days of their site, or with the details of the site', async () => {
  const { db } = stats.api.services
  const [mine, other, dropped] = [await story(), await story(), await story()]
  await db`update sites set replay_days = 2 where site_no = ${mine.site.siteNo}`
  await db`update sites set details_from = ${`${DAY}T09:30:00Z`} where site_no = ${dropped.site.siteNo}`
  const counts = async () => [await mine.count(), await other.count(), await dropped.count()]
  expect(await expireReplays(db, new Date(at('08:00:00') + 2 * 86_400_000), () => false)).toBe(true)
  await expireReplays(db, new Date(at('09:30:00') + 2 * 86_400_000), () => true)
  expect(await counts()).toEqual([1, 3, 1])
  await expireReplays(db, new Date(at('10:30:00') + 2 * 86_400_000), () => true)
  expect(await counts()).toEqual([0, 3, 1])
  await db`update sites set replay_days = 30 where site_no = ${mine.site.siteNo}`
  await expireReplays(db, new Date(at('12:00:00') + 30 * 86_400_000), () => true)
  expect(await counts()).toEqual([0, 0, 0])
  const rows = await db`select from session_replays where site_no = ${other.site.siteNo}`
  expect(rows.length).toBe(0)
})
