import { beforeEach, expect, test } from 'vitest'
import { PURGE_ROWS } from '../../../../src/outgoing/retention/purge-deleted-sites.ts'
import { type Turn, unsharedTurn } from '../../../../src/outgoing/transfer/imports/turn.ts'
import { importTotals } from '../../../../src/outgoing/transfer/totals/import-totals.ts'
import {
  finishImport,
  hide,
  removeGone,
  startImport,
} from '../../../../src/outgoing/transfer/totals/store.ts'
import { totalsKind } from '../../../../src/outgoing/transfer/totals/totals-kind.ts'
import { hit, type StatsSite, useStats } from '../../../contract/stats-site.ts'
import { exportOf, importInto, linesOf, NOW } from '../../../stats/imported/imported-days.ts'
import { ALONE } from '../../../support/import-services.ts'
import { fileOf } from '../read/source.ts'

let site: StatsSite

const stats = useStats(undefined, NOW)
beforeEach(async () => {
  site = await stats.site()
})

const db = () => stats.api.services.db
const bring = (bytes: Buffer | string, options = {}) => importInto(db(), site, 'UTC', bytes, options)
const overview = (query: string) => stats.read(site, `/overview?${query}&imported=true`)
const list = () => stats.read(site, '/imported-totals')
const visitors = async (from: string, to = from) => (await overview(`from=${from}&to=${to}`)).visitors
/** Imports totals of days; without others, of one day. */
const bringDays = (rows = '2024-03-01,3,4') =>
  bring(`date,visitors,visits\n${rows}\n`, { name: 'imported_visitors.csv' })
const rowsOf = async () => {
  const [row] = await db()`select count(*)::int as count from totals_days where site_no = ${site.siteNo}`
  return row!.count
}

test('imports of totals: a dry run says what would come, and stores nothing', async () => {
  await stats.store([hit(site, '2024-03-03T10:00:00Z', { url: '/' })])
  const lines = linesOf('2024-03-01', '2024-03-02')
  const result = await bring(exportOf(lines), { isDryRun: true })
  const sessions = lines.reduce((sum, line) => sum + line.sessions, 0)
  expect(result).toMatchObject({
    ...{ import_id: null, from: '2024-03-01', to: '2024-03-02', own_from: '2024-03-03' },
    ...{ left: [], unknown_files: [] },
  })
  expect(result.tables[0]).toMatchObject({ dimensions: [], rows: 2, totals: { sessions } })
  expect(result.notes.length).toBeGreaterThan(0)
  expect(await list()).toEqual([])
  expect(await rowsOf()).toBe(0)
})

test('imports of totals: the same file again takes the place of its rows; equal days of a file add up', async () => {
  const rows = '2024-03-01,3,4\n2024-03-01,2,2\n2024-03-02,1,1'
  await bringDays(rows)
  const [first] = await list()
  await bringDays(rows)
  const [second, ...others] = await list()
  expect(others).toEqual([])
  expect(second).toMatchObject({ rows: 2, from: '2024-03-01', to: '2024-03-02', is_ready: true })
  expect(second.id).not.toBe(first.id)
  expect(await rowsOf()).toBe(2)
  expect(await visitors('2024-03-01')).toBe(5)
})

test('imports of totals: of two imports with the same day, the newer one has it; the other has it again after an undo', async () => {
  await bringDays('2024-03-01,3,4\n2024-03-04,5,5')
  const rows = 'date,totalUsers,sessions\n20240302,7,7\n20240304,8,8\n20240305,9,9\n'
  await bring(rows, { format: 'ga4-totals', name: 'ga4.csv' })
  expect(await visitors('2024-03-01', '2024-03-05')).toBe(3 + 7 + 8 + 9)
  const answer = await overview('from=2024-03-01&to=2024-03-05')
  expect(answer.imported.sources).toEqual(['Plausible', 'Google Analytics 4'])
  const [{ id, source, file }] = await list()
  expect({ source, file }).toEqual({ source: 'Google Analytics 4', file: 'ga4.csv' })
  const path = `${site.path}/imported-totals/${id}`
  const undo = () => stats.api.call('DELETE', path, { token: stats.owner.token })
  expect((await undo()).status).toBe(204)
  expect(await visitors('2024-03-01', '2024-03-05')).toBe(3 + 5)
  expect(await list()).toHaveLength(1)
  expect((await undo()).status).toBe(404)
  // Its rows go in the background.
  expect(await rowsOf()).toBe(5)
  expect(await removeGone(db(), new Date(NOW), () => true)).toBe(false)
  expect(await rowsOf()).toBe(2)
  const [entry] =
    await db()`select details from audit_log where action = 'totals.undo' and details ->> 'import' = ${id}`
  expect(entry!.details).toMatchObject({ file: 'ga4.csv' })
})

test('undo: all imports of a format at once, in steps', async () => {
  await bringDays()
  await bringDays('2024-03-02,3,4')
  await bring('date,visits,pageviews\n2024-03-03,1,1\n', { format: 'fathom', name: 'site.csv' })
  const undo = (turn: Turn) =>
    totalsKind.undo({ db: db() } as never, { siteNo: site.siteNo, format: 'plausible-totals', turn })
  await expect(undo(unsharedTurn(AbortSignal.abort()))).rejects.toThrow()
  expect(await visitors('2024-03-01', '2024-03-03')).toBe(1)
  await undo(ALONE)
  expect((await list()).map(({ format }: { format: string }) => format)).toEqual(['fathom'])
})

test('live data wins: hits of older days that come later take the place of totals', async () => {
  site = await stats.site('America/New_York')
  await bringDays('2024-03-01,3,4\n2024-03-02,5,5\n2024-03-03,6,6')
  expect(await visitors('2024-03-01', '2024-03-03')).toBe(14)
  // 03:00 UTC is still the day before in New York.
  await stats.store([hit(site, '2024-03-03T03:00:00Z', { url: '/' })])
  expect(await visitors('2024-03-01', '2024-03-03')).toBe(3 + 1)
  const { imported } = await overview('from=2024-03-01&to=2024-03-03')
  expect(imported).toMatchObject({ from: '2024-03-01', to: '2024-03-01' })
})

test('imports of totals: a site without hits has all of its totals, `all` included', async () => {
  await bringDays()
  const answer = await overview('range=all')
  expect(answer).toMatchObject({ visitors: 3, sessions: 4, pageviews: 0 })
  expect(answer.imported).toMatchObject({
    missing: ['pageviews', 'views_per_visit', 'bounce_rate', 'avg_session_seconds', 'custom_events'],
  })
})

test('history: days that were deleted do not come back as totals', async () => {
  await bringDays('2024-03-01,3,4\n2024-03-02,5,5')
  await db()`update sites set history_from = '2024-03-02', first_event_at = '2024-04-01' where id = ${site.id}`
  expect(await visitors('2024-03-01', '2024-03-02')).toBe(5)
})

test('imports of totals: an import that fails in the middle leaves nothing, and one that was cut off counts nothing', async () => {
  const rows = Array.from({ length: 1_500 }, (_, index) => `2024-03-01,/${index},1`).join('\n')
  const task = {
    site: { siteNo: site.siteNo, timezone: 'UTC' },
    ...{ format: 'plausible-totals', website: undefined, timezone: 'UTC', isDryRun: false, turn: ALONE },
    file: fileOf(`date,page,visitors\n${rows}\n`, 'imported_pages.csv'),
  }
  const requireFreeDisk = () => Promise.reject(new Error('full'))
  const services = { db: db(), now: () => new Date(NOW), requireFreeDisk }
  await expect(totalsKind.run(services as never, task as never)).rejects.toThrow('full')
  expect(await rowsOf()).toBe(0)
  expect(await list()).toEqual([])
  await bringDays()
  await db()`update totals_imports set is_ready = false where site_no = ${site.siteNo}`
  expect(await visitors('2024-03-01')).toBe(0)
  expect(await list()).toMatchObject([{ is_ready: false }])
  await removeGone(db(), new Date('2024-04-21T12:00:01Z'), () => true)
  expect(await list()).toEqual([])
  expect(await rowsOf()).toBe(0)
})

test('imports of totals: one that is removed while it runs stops, counts nothing, and leaves no row', {
  tags: ['full'],
}, async () => {
  const { siteNo } = site
  const lines = Array.from({ length: 12_000 }, (_, index) => `2024-03-01,/${index},1`)
  const file = fileOf(`date,page,visitors\n${lines.join('\n')}\n`, 'imported_pages.csv')
  /** After the first rows are stored. */
  async function onProgress(rows: number) {
    if (rows !== 6_000) return
    expect(await rowsOf()).toBe(5_000)
    await db()`update totals_imports set removed_at = now() where site_no = ${siteNo}`
    await removeGone(db(), new Date(NOW), () => true)
  }
  const running = importTotals(
    { db: db(), now: () => new Date(NOW) },
    { siteNo, timezone: 'UTC' },
    { format: 'plausible-totals', file, onProgress },
  )
  await expect(running).rejects.toMatchObject({ message: expect.stringMatching(/removed while it ran/) })
  expect(await rowsOf()).toBe(0)
  const given = {
    ...{ siteNo, format: 'fathom', fileName: 'x.csv', fingerprint: 'x' },
    ...{ now: new Date(NOW), userId: null },
  }
  const started = await startImport(db(), given)
  await db().begin(tx => hide(tx, started))
  await expect(finishImport(db(), started, given)).rejects.toThrow(/removed while it ran/)
  await removeGone(db(), new Date(NOW), () => true)
  expect(await list()).toEqual([])
})

test('imports of totals: each metric has the tables that know it: the overview and its series say the same', async () => {
  const full = 'date,visitors,visits,pageviews,bounces\n2024-03-01,3,4,9,1\n2024-03-02,5,6,7,2\n'
  await bring(full, { name: 'imported_visitors.csv' })
  // The newer file knows visitors alone, and pages by country.
  await bring('date,totalUsers\n20240302,50\n20240303,60\n', { format: 'ga4-totals', name: 'users.csv' })
  const pages = '20240302,Germany,/a,9,9\n20240302,Germany,/b,9,9\n'
  const bytes = `date,country,pagePath,sessions,totalUsers\n${pages}`
  await bring(bytes, { format: 'ga4-totals', name: 'pages.csv' })
  const query = 'from=2024-03-01&to=2024-03-03'
  const totals = { visitors: 113, sessions: 10, pageviews: 16, bounce_rate: 30, custom_events: 0 }
  const answer = await overview(query)
  expect(answer).toMatchObject(totals)
  expect(answer.imported).toMatchObject({
    ...{ from: '2024-03-01', to: '2024-03-03', used: true, visitors: 'sum_of_days' },
    sources: ['Plausible', 'Google Analytics 4'],
    // The third day has visitors alone.
    missing: [
      ...['sessions', 'pageviews', 'views_per_visit', 'bounce_rate', 'avg_session_seconds', 'custom_events'],
    ],
  })
  for (const metric of ['visitors', 'sessions', 'pageviews'] as const) {
    const path = `/stats/timeseries?metric=${metric}&group=month&${query}&imported=true`
    const { values } = await stats.read(site, path)
    expect(values, metric).toEqual([totals[metric]])
  }
  const countries = await stats.read(site, `/stats/breakdown?dimension=country&${query}&imported=true`)
  expect(countries).toMatchObject({ data: [], imported: { used: false, why_not: 'dimension' } })
  const page = await stats.read(site, `/stats/breakdown?dimension=country&path=/a&${query}&imported=true`)
  expect(page.data).toMatchObject([{ value: 'DE', sessions: 9 }])
})

test('imports of totals: a file without a row that can be kept is refused, and so is nonsense', async () => {
  await expect(bringDays('yesterday,1,1')).rejects.toMatchObject({
    code: 'validation_failed',
    message: expect.stringMatching(/no row that can be kept: the row has no day/),
  })
  for (const format of ['plausible-totals', 'fathom', 'ga4-totals'] as const) {
    await expect(bring('\u0000\u0001\u0002', { format, name: 'x.csv' })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  }
})

test('purge: the rows of a deleted site go', () => {
  for (const table of ['totals_days', 'totals_families', 'totals_imports']) {
    expect(PURGE_ROWS).toContain(`delete from ${table}`)
  }
})
