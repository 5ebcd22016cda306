import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { type ClaimedImport, claimImport } from '../../../../src/outgoing/transfer/imports/claims.ts'
import { IMPORT_JOBS } from '../../../../src/outgoing/transfer/imports/expire.ts'
import { runTask, type TaskServices } from '../../../../src/outgoing/transfer/imports/run-task.ts'
import { PART_BYTES } from '../../../../src/outgoing/transfer/imports/schema.ts'
import { startImportWorker } from '../../../../src/outgoing/transfer/imports/worker.ts'
import { uploadLimits } from '../../../../src/outgoing/transfer/read/limits.ts'
import { importTotals } from '../../../../src/outgoing/transfer/totals/import-totals.ts'
import { everythingOf } from '../../../contract/everything.ts'
import { dayOfHits, hit, type StatsSite, startStats } from '../../../contract/stats-site.ts'
import { dyingAfter } from '../../../support/dying-after.ts'
import { pageviewLine } from '../../../support/import-lines.ts'
import { ALONE, importServices } from '../../../support/import-services.ts'
import { ofFile } from '../../../support/of-file.ts'
import { umamiExport } from '../../../support/umami-export.ts'
import { aggregateAll, expectConsistent } from '../../people/steps.ts'
import { fileOf } from '../read/source.ts'
import { zipOf } from '../read/zip-file.ts'

const NOW = '2026-03-18T12:00:00Z'
const START = Date.parse('2026-03-10T08:00:00Z')

const stats = ofFile(() => startStats(NOW))
let services: TaskServices
beforeAll(async () => {
  services = await importServices(stats.api.services)
})

const call = (site: StatsSite, method: string, path: string, body?: unknown, token = stats.owner.token) =>
  stats.api.call(method, `${site.path}${path}`, { token, body })

async function upload(site: StatsSite, bytes: Buffer, more: object = {}) {
  const given = { format: 'umami', file_name: 'export.zip', bytes: bytes.length, ...more }
  const made = await call(site, 'POST', '/imports', given)
  expect(made.status).toBe(201)
  for (const number of made.body.missing_parts) {
    const part = bytes.subarray(number * PART_BYTES, (number + 1) * PART_BYTES)
    expect((await call(site, 'PUT', `/imports/${made.body.id}/parts/${number}`, part)).status).toBe(204)
  }
  return made.body.id as string
}

const read = async (site: StatsSite, id: string) => (await call(site, 'GET', `/imports/${id}`)).body

/** Runs a worker until the import is in the state. */
async function until(site: StatsSite, id: string, state: string, given = services) {
  const worker = startImportWorker(given, { askMs: 20, prolongMs: 20, retryMs: 50 })
  await expect.poll(async () => (await read(site, id)).state).toBe(state)
  await worker.stop()
  return read(site, id)
}

async function start(site: StatsSite, id: string, isDryRun = false) {
  expect((await call(site, 'POST', `/imports/${id}/start`, { dry_run: isDryRun })).status).toBe(202)
}

async function run(site: StatsSite, id: string, isDryRun = false) {
  await start(site, id, isDryRun)
  return until(site, id, isDryRun ? 'checked' : 'done')
}

async function undo(site: StatsSite, id: string) {
  expect((await call(site, 'POST', `/imports/${id}/undo`)).status).toBe(202)
  return until(site, id, 'undone')
}

const now = new Date(NOW)
const claim = async () => (await claimImport(services.db, LIVE, now))!
const work = (task: ClaimedImport, db = services.db) => runTask({ ...services, db }, task, ALONE, () => {})
const die = (task: ClaimedImport, calls: number) => work(task, dyingAfter(services.db, calls))
const countHits = async ({ siteNo }: StatsSite) =>
  (await services.db`select from events where site_no = ${siteNo}`).length

const EXPORT = umamiExport({ events: 240, start: START, stepMs: 11 * 60_000 })

/** A site with live hits, of which some share their time and their user with the file. */
async function liveSite() {
  const site = await stats.site()
  const identity = { identifier: 'user-0', name: 'Zoe' }
  await stats.store(dayOfHits(site))
  await stats.store([
    hit(site, '2026-03-10T09:30:00Z', { visitorId: LIVE, url: '/live', title: 'Live' }),
    hit(site, '2026-03-10T09:31:00Z', { type: 'identify', visitorId: LIVE, identity }),
  ])
  await aggregateAll(services.db, now)
  return site
}
const LIVE = '00000000-0000-4000-8000-0000000000aa'

test('import jobs: a file comes in parts, is checked, imported and removed again: every number is as before', async () => {
  const site = await liveSite()
  const before = await everythingOf(stats, site)
  const id = await upload(site, EXPORT)

  const checked = await run(site, id, true)
  const { db } = services
  const early = await db`select from visitors where imported_as is not null and site_no = ${site.siteNo}`
  expect(early).toEqual([])
  expect(checked).toMatchObject({ state: 'checked', missing_parts: [], result: null, can_undo: false })
  const done = await run(site, id)
  const { repeated, ...dry } = checked.checked
  expect(repeated).toBe(0)
  expect(done.result).toEqual({ ...dry, dry_run: false })
  expect(done).toMatchObject({ can_undo: true, progress: null, created_by: expect.stringContaining('@') })
  expect(await db`select from import_parts where import_id = ${id}`).toEqual([])

  const undone = await undo(site, id)
  expect(undone).toMatchObject({ state: 'undone', can_undo: false, error: null })
  await expectConsistent(services.db, site)
  expect(await everythingOf(stats, site)).toBe(before)
  const users = await db`select identifier from identities where site_no = ${site.siteNo} order by 1`
  expect(users.map(({ identifier }) => identifier)).toEqual(['user-0', 'user-1'])

  expect((await run(site, await upload(site, EXPORT))).result).toEqual(done.result)
  await expectConsistent(services.db, site)
})

test('import jobs: an undo that is killed at any point is finished by the next process', {
  tags: ['full'],
}, async () => {
  const site = await liveSite()
  const id = await upload(site, EXPORT)
  await run(site, id)
  // A payment of an imported visitor waits for them again.
  const [visitor] = await services.db`
    select id from visitors where site_no = ${site.siteNo} and imported_as = 'umami' limit 1`
  const payment = { amount: 100, currency: 'USD', transaction_id: 't-1', visitor_id: visitor!.id }
  expect((await call(site, 'POST', '/payments', payment)).status).toBe(201)
  expect((await call(site, 'POST', `/imports/${id}/undo`)).status).toBe(202)
  const task = await claim()
  for (let calls = 5; calls <= 60; calls += 11) await die(task, calls).catch(() => {})
  await work(task)
  expect(await read(site, id)).toMatchObject({ state: 'undone' })
  const awaiting = await services.db`
    select target from awaiting_visitors where site_no = ${site.siteNo} order by target`
  expect(awaiting.map(({ target }) => target)).toEqual(['events', 'revenue'])
  for (const table of ['payments', 'revenue'])
    await services.db`delete from ${services.db(table)} where site_no = ${site.siteNo}`
  await services.db`delete from events where site_no = ${site.siteNo} and is_service`
  await aggregateAll(services.db, now)
  await expectConsistent(services.db, site)
})

test('import jobs: three teams take turns, and every row counts once, also when their process is killed between two slices', {
  tags: ['full'],
}, async () => {
  const { db } = services
  const whole = await stats.site()
  const { result } = await run(whole, await upload(whole, EXPORT))
  const sites = [await stats.site(), await stats.site(), await stats.site()]
  const ids: string[] = []
  for (const site of sites) {
    ids.push(await upload(site, EXPORT))
    await start(site, ids.at(-1)!)
    const { teamId } = await stats.api.member()
    await db`update sites set team_id = ${teamId} where site_no = ${site.siteNo}`
  }
  const open = async () =>
    (await db`select from imports where id = any(${ids}::uuid[]) and claimed_by is not null`).length
  // A slice is 25 steps, fewer than the file has lines.
  let looks = 0
  const options = { askMs: 5, prolongMs: 1_000, sliceMs: 25, clock: () => ++looks }
  for (const calls of [60, 150, 300]) {
    const dying = { ...services, db: dyingAfter(db, calls), batchHits: 10 }
    const worker = startImportWorker(dying, options)
    await expect.poll(open).toBe(3)
    await worker.stop()
    await db`update imports set claimed_until = ${new Date(now.getTime() - 1)}, failures = 0 where id = any(${ids}::uuid[])`
  }
  const worker = startImportWorker({ ...services, batchHits: 10 }, options)
  const results = () => db`select result from imports where id = any(${ids}::uuid[])`
  await expect.poll(results).toEqual(ids.map(() => ({ result })))
  await worker.stop()
  for (const site of sites) {
    expect(await countHits(site)).toBe(await countHits(whole))
    await expectConsistent(db, site)
  }
})

test('import jobs: files that wait are bounded for all sites of a team together', async () => {
  const owner = await stats.api.member()
  const [one, other] = [await stats.site('UTC', owner), await stats.site('UTC', owner)]
  const { config } = stats.api.services
  const most = config.importMaxBytes
  config.importMaxBytes = 1_000
  const create = (site: StatsSite, bytes: number, token = owner.token) =>
    call(site, 'POST', '/imports', { format: 'umami', file_name: 'a.zip', bytes }, token)
  const answers = await Promise.all([create(one, 600), create(other, 600)])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
  const message = expect.stringMatching(/Files of the team/)
  expect(await create(other, 401)).toMatchObject({ status: 422, body: { message } })
  expect((await create(one, 400)).status).toBe(201)
  expect((await create(await stats.site(), 1_000, stats.owner.token)).status).toBe(201)
  config.importMaxBytes = most
})

test('import jobs: a file that unpacks to more than the limit is refused with the limit: at the start where it says so, else while it is read', async () => {
  const site = await stats.site()
  const { config } = stats.api.services
  const before = config.importMaxUnpackedBytes
  config.importMaxUnpackedBytes = 2 * 1024 * 1024
  const text = `${pageviewLine(START)}\n`.padEnd(2 * 1024 * 1024 + 1)
  const message =
    'the file unpacks to more than 2 MiB (IMPORT_MAX_UNPACKED_MB); split it, or use the command line'
  for (const bytes of [zipOf([{ name: 'hits.jsonl', bytes: text }]), gzipSync(text)]) {
    const id = await upload(site, bytes, { format: 'hits' })
    for (const dry_run of [true, false]) {
      const refused = await call(site, 'POST', `/imports/${id}/start`, { dry_run })
      expect(refused).toMatchObject({ status: 422, body: { message } })
    }
  }
  const hidden = await upload(site, Buffer.concat([gzipSync(text), gzipSync('\n')]), { format: 'hits' })
  await start(site, hidden)
  const limited = { ...services, limits: uploadLimits(config) }
  expect((await until(site, hidden, 'failed', limited)).error).toBe(message)
  const fitting = await upload(site, gzipSync(text.slice(0, -1)), { format: 'hits' })
  await start(site, fitting)
  expect((await until(site, fitting, 'done', limited)).result).toMatchObject({ accepted: 1 })
  config.importMaxUnpackedBytes = before
})

test('import jobs: a canceled import stops, keeps what it has stored, and can be undone', {
  tags: ['full'],
}, async () => {
  const site = await stats.site()
  const id = await upload(site, umamiExport({ events: 3_000, start: START, stepMs: 1_000 }))
  await start(site, id)
  const worker = startImportWorker({ ...services, batchHits: 10 }, { askMs: 20, prolongMs: 20 })
  await expect.poll(() => countHits(site)).toBeGreaterThan(0)
  const canceled = await call(site, 'POST', `/imports/${id}/cancel`)
  expect(canceled.body).toMatchObject({ state: 'canceled', can_undo: true })
  await worker.stop()
  expect(await countHits(site)).toBeLessThan(3_000)
  await undo(site, id)
  await expectConsistent(services.db, site)
  expect((await stats.read(site, '')).has_data).toBe(false)
})

test('import jobs: a file that is not of its format fails with the reason, and may be started again', async () => {
  const site = await stats.site()
  const id = await upload(site, Buffer.from('no export'))
  await start(site, id, true)
  const error = expect.stringMatching(/no table of events found/)
  expect(await until(site, id, 'failed')).toMatchObject({ error, can_undo: false })
  await start(site, id)
  expect(await until(site, id, 'failed')).toMatchObject({ result: null })
})

test('import jobs: a failure of the service is tried again, ten times at most', {
  tags: ['full'],
}, async () => {
  const site = await stats.site()
  const id = await upload(site, EXPORT)
  await start(site, id)
  const requireFreeDisk = () => Promise.reject(new Error('the disk is nearly full'))
  let looks = 0
  // Each look at the clock is a minute later.
  const later = () => new Date(now.getTime() + ++looks * 60_000)
  const failing = { ...services, now: later, requireFreeDisk }
  const worker = startImportWorker(failing, { askMs: 1, retryMs: 1 })
  await expect.poll(async () => (await read(site, id)).state).toBe('failed')
  await worker.stop()
  expect((await read(site, id)).error).toMatch(/failed 10 times/)
})

test('import jobs: hits of this service are imported, and cannot be undone', async () => {
  const site = await stats.site()
  const bytes = zipOf([{ name: 'hits.jsonl', bytes: `${pageviewLine(START)}\n` }])
  const id = await upload(site, bytes, { format: 'hits' })
  expect((await run(site, id)).result).toMatchObject({ accepted: 1, rejected_total: 0 })
  const refused = await call(site, 'POST', `/imports/${id}/undo`)
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringMatching(/live hits/) } })
})

test('import jobs: an undo is refused when details of what it would remove are gone', async () => {
  const site = await stats.site()
  const { db } = services
  await stats.store([{ ...hit(site, new Date(START).toISOString()), importedAs: 'umami' }])
  const id = await upload(site, EXPORT)
  await db`update imports set state = 'done', has_written = true where id = ${id}`
  const undoWithDetailsFrom = async (at: number) => {
    await db`update sites set details_from = ${new Date(at)} where site_no = ${site.siteNo}`
    return call(site, 'POST', `/imports/${id}/undo`)
  }
  const message = expect.stringMatching(/details of the site before .* are gone/)
  expect(await undoWithDetailsFrom(START + 1)).toMatchObject({ status: 400, body: { message } })
  expect((await undoWithDetailsFrom(START)).status).toBe(202)
  // Workers of other tests leave it.
  await db`update imports set state = 'undone' where id = ${id}`
})

test('import jobs: a file of payments is uploaded, checked and imported; it cannot be undone, and may be imported again', {
  tags: ['full'],
}, async () => {
  const site = await stats.site()
  const file = Buffer.from(
    `type,id,at,amount,currency,customer,subscription,status,interval,payment,refunded
subscription,s-1,2026-01-05,1000,USD,c-1,,active,month,,
payment,in_1,2026-01-05,1000,USD,c-1,s-1,,,,
payment,in_2,2026-02-05,1000,USD,c-1,s-1,,,,250
payment,in_3,2026-03-01,900,USD,c-2,,,,,
refund,r-1,2026-03-02,400,,,,,,in_3,
payment,in_4,2026-03-03,0,USD,c-2,,,,,
`,
  )
  const given = { format: 'payments', file_name: 'payments.csv', timezone: 'Europe/Berlin' }
  const range = '/overview?from=2026-01-01&to=2026-03-18'
  const money = async () => {
    const { revenue, payments, recurring_revenue, mrr } = await stats.read(site, range)
    return { revenue, payments, recurring_revenue, mrr }
  }
  const id = await upload(site, file, given)
  const { checked } = await run(site, id, true)
  expect(checked).toEqual({
    dry_run: true,
    period: { from: '2026-01-04T23:00:00.000Z', to: '2026-02-28T23:00:00.000Z' },
    counts: { payment: 3, refund: 1, subscription: 1 },
    rejected: [{ reason: expect.stringContaining('amount must be from 1'), hits: 1 }],
    rejected_total: 1,
  })
  expect(await money()).toEqual({})
  const done = await run(site, id)
  expect(done).toMatchObject({ result: { ...checked, dry_run: false }, can_undo: false, progress: null })
  const expected = { revenue: 2_250, payments: 3, recurring_revenue: 1_750, mrr: 1_000 }
  expect(await money()).toEqual(expected)
  expect((await call(site, 'POST', `/imports/${id}/undo`)).status).toBe(400)
  // Results may be long: lists only say that there is one.
  const [item] = (await call(site, 'GET', '/imports')).body.data
  expect(item).toMatchObject({ id, has_outcome: true })
  expect(item).not.toHaveProperty('result')
  expect(item).not.toHaveProperty('checked')

  expect((await run(site, await upload(site, file, given))).result).toEqual(done.result)
  expect(await money()).toEqual(expected)
})

test('import jobs: a result of totals names at most 100 of the files that hold none', async () => {
  const { siteNo } = await stats.site()
  const visitors = 'date,visitors,pageviews,bounces,visits,visit_duration\n2024-01-01,1,1,0,1,0\n'
  const others = Array.from({ length: 101 }, (_, index) => ({ name: `${index}.csv`, bytes: 'a\n1\n' }))
  const file = fileOf(zipOf([{ name: 'imported_visitors.csv', bytes: visitors }, ...others]), 'export.zip')
  const site = { siteNo, timezone: 'UTC' }
  const result = await importTotals(services, site, { format: 'plausible-totals', file, isDryRun: true })
  expect(result.rows).toBe(1)
  expect(result.unknown_files).toHaveLength(100)
})

test('import jobs: files that are not imported within a day are deleted', async () => {
  const site = await stats.site()
  const id = await upload(site, EXPORT)
  // It has failed, and what it had stored was removed again.
  const undone = await upload(site, EXPORT)
  await services.db`update imports set state = 'undone' where id = ${undone}`
  const { db } = services
  const expire = (ms: number) => IMPORT_JOBS[0]!.run({ db } as never, new Date(now.getTime() + ms))
  const parts = () => db`select distinct import_id as id from import_parts where site_no = ${site.siteNo}`
  await expire(86_400_000 - 1)
  expect((await read(site, id)).state).toBe('uploading')
  expect(await parts()).toEqual([{ id }])
  await expire(86_400_000 + 1)
  expect(await read(site, id)).toMatchObject({ state: 'expired', missing_parts: [] })
  // As if a part had been stored while the import ended.
  await db`insert into import_parts (import_id, number, site_no, content) values (${id}, 9, ${site.siteNo}, '')`
  await expire(90_000_000)
  expect(await parts()).toEqual([])
})
