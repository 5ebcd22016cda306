import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getOverview } from '../../src/stats/reports/overview.ts'
import { type AdminCommand, adminCommand } from '../support/admin-command.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { lineOf, pageviewLine } from '../support/import-lines.ts'
import { inProcessPatterns } from '../support/in-process-patterns.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import { recountOverview, recountSessions, type SentHit } from '../support/recount.ts'
import { type TestRedis, testRedis } from '../support/redis.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { expectSameSessions } from '../support/stored.ts'

const START = Date.UTC(2025, 0, 1)
const MINUTE = 60_000

let database: TestDatabase
let redis: TestRedis
let command: AdminCommand
let folder: string

beforeAll(async () => {
  ;[database, redis] = await Promise.all([testDatabase(), testRedis()])
  command = await adminCommand({ databaseUrl: database.url, redisUrl: redis.url })
  folder = mkdtempSync(join(tmpdir(), 'analytics-import-'))
})
afterAll(async () => {
  command.close()
  rmSync(folder, { recursive: true, force: true })
  await Promise.all([database.close(), redis.close()])
})

/** A site of some weeks: visitors come back within minutes, hours and days. */
function history(count: number): SentHit[] {
  const visitors = Array.from({ length: count / 20 }, () => randomUUID())
  return Array.from({ length: count }, (_, index) => {
    const visitor = visitors[(index * 31 + Math.floor(index / 7) * 17) % visitors.length]!
    const at = START + index * 3 * MINUTE + ((index * 7919) % 1000)
    const kind = index % 5 === 4 ? 'engagement' : 'pageview'
    const path = index % 3 === 0 ? '/' : '/pricing'
    if (kind === 'engagement')
      return { id: randomUUID(), at, visitor, kind, path, scroll: 50, engagedMs: 900 }
    return { id: randomUUID(), at, visitor, kind, path, title: 'A page' }
  })
}

function fileOf(lines: string[]): string {
  const file = join(folder, randomUUID())
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

async function importFile(site: string, file: string) {
  const { code, stdout, stderr } = await command.run(['hits:import', '--site', site, '--file', file])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

const countEvents = async ({ siteNo }: TestSite) => {
  const [row] = await database.db<{ count: number }[]>`
    select count(*)::int as count from events where site_no = ${siteNo}`
  return row!.count
}

test('import: one that is killed several times and run again gives the result of one run', async () => {
  const site = await createTestSite(database.db)
  const hits = history(4_000)
  const file = fileOf(hits.map(lineOf))
  const recount = recountSessions([hits])
  for (const enough of [1, 1_000, 2_000]) {
    const run = command.run(['hits:import', '--site', site.id, '--file', file], {
      async onStart(child) {
        while (child.exitCode === null && (await countEvents(site)) < enough) await sleep(20)
        child.kill('SIGKILL')
      },
    })
    expect((await run).stdout).toBe('')
  }
  expect(await countEvents(site)).toBeLessThan(hits.length - recount.dropped.length)
  const answer = await importFile(site.id, file)
  expect(answer).toEqual({
    accepted: hits.length - recount.dropped.length,
    dropped: recount.dropped.length,
    rejected: [],
    rejected_total: 0,
    seconds: expect.any(Number),
  })
  await expectSameSessions(database.db, site, recount)
  expect(await database.db`select from dirty_buckets`).toHaveLength(0)
  const again = await importFile(site.id, file)
  expect({ ...again, seconds: 0 }).toEqual({ ...answer, seconds: 0 })
  await expectSameSessions(database.db, site, recount)
}, 120_000)

test('import: it reads standard input and finds the site by its domain', async () => {
  const site = await createTestSite(database.db)
  const [row] = await database.db<{ domain: string }[]>`select domain from sites where id = ${site.id}`
  const args = ['hits:import', '--site', row!.domain, '--file', '-']
  const input = [
    `\uFEFF${pageviewLine(START)}\r\n\r\n`,
    `${pageviewLine(START + 1)}\nnonsense\n`,
    pageviewLine(START + 2),
  ]
  const { code, stdout, stderr } = await command.run(args, { input })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    accepted: 3,
    dropped: 0,
    rejected: [{ line: 4, error: 'the line is not valid JSON' }],
    rejected_total: 1,
    seconds: expect.any(Number),
  })
  expect(await countEvents(site)).toBe(3)
})

test('import: memory use does not depend on the length of the stream', async () => {
  const site = await createTestSite(database.db)
  const lines = 5_000
  function* longStream() {
    for (let index = 0; index < lines; index++) {
      // Most lines are read and not stored, so that the memory for reading dominates.
      const rest = { padding: 'x'.repeat(16_000), ip: `203.0.113.${index % 250}` }
      yield `${pageviewLine(START + index * 100, rest)}\n`
      if (index === lines / 2) yield `${'y'.repeat(50_000_000)}\n`
    }
  }
  const args = ['hits:import', '--site', site.id, '--file', '-']
  let peakKib = 0
  const { code, stdout, stderr } = await command.run(args, {
    input: longStream(),
    // A small heap: otherwise uncollected garbage would count as memory use.
    nodeOptions: '--max-old-space-size=110',
    onStart(child) {
      const timer = setInterval(() => {
        const status = existsSync(`/proc/${child.pid}/status`)
          ? readFileSync(`/proc/${child.pid}/status`)
          : ''
        peakKib = Math.max(peakKib, Number(/VmHWM:\s+(\d+)/.exec(status.toString())?.[1] ?? 0))
      }, 50)
      child.once('exit', () => clearInterval(timer))
    },
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ accepted: lines, rejected_total: 1 })
  // The stream has 130 MB.
  expect(peakKib).toBeLessThan(250 * 1024)
}, 180_000)

test.each([
  [['--site', randomUUID(), '--file', 'package.json'], /No such site/],
  [['--site', 'nobody.example', '--file', 'package.json'], /No such site/],
  [['--site', 'not a domain', '--file', 'package.json'], /No such site/],
  [['--file', 'package.json'], /--site/],
  [['--site', 'x'], /--file/],
])('hits:import %j ends with 1 and one line that says why', async (args, reason) => {
  const { code, stdout, stderr } = await command.run(['hits:import', ...args])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^error: [^\n]+\n$/)
  expect(stderr).toMatch(reason)
})

test('import: a missing file and a folder exit with 1', async () => {
  const site = await createTestSite(database.db)
  for (const [file, reason] of [
    ['/nowhere/hits.jsonl', /ENOENT/],
    [folder, /EISDIR/],
  ] as const) {
    const { code, stderr } = await command.run(['hits:import', '--site', site.id, '--file', file])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: [^\n]+\n$/)
    expect(stderr).toMatch(reason)
  }
})

test('import: a domain of two teams is refused as ambiguous', async () => {
  const sites = [await createTestSite(database.db), await createTestSite(database.db)]
  await database.db`update sites set domain = 'twice.example' where id in ${database.db(sites.map(site => site.id))}`
  const { code, stderr } = await command.run(['hits:import', '--site', 'twice.example', '--file', '-'])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'error: 2 sites have the domain twice.example; give the id of one\n',
  })
})

test('backfill: it finds changes made directly in the database and returns the number of covered days', async () => {
  const site = await createTestSite(database.db, { timezone: 'Asia/Kathmandu' })
  const hits = history(2_000)
  await importFile(site.id, fileOf(hits.map(lineOf)))
  const overview = () =>
    getOverview(
      {
        reads: database.db,
        rollups: inProcessPool(database.db),
        patterns: inProcessPatterns(),
        grant: null,
        now: () => new Date(),
      },
      {
        siteNo: site.siteNo,
        teamId: 'team',
        timezone: 'Asia/Kathmandu',
        currency: 'USD',
        firstEventAt: null,
      },
      { range: 'today', from: '2025-01-01', to: '2025-01-31' },
    )
  const expected = recountOverview(
    hits,
    recountSessions([hits]),
    'Asia/Kathmandu',
    '2025-01-01',
    '2025-01-31',
  )
  expect(await overview()).toMatchObject(expected)

  // Changes rows without marking a bucket dirty, like a change in psql.
  await database.db`
    delete from events where site_no = ${site.siteNo} and type = 'pageview'
      and at >= '2025-01-02T18:15Z' and at < '2025-01-03T18:15Z'`
  const { pageviews } = await overview()
  expect(pageviews).toBe(expected.pageviews)
  const args = ['rollups:backfill', '--site', site.id, '--from', '2025-01-03', '--to', '2025-01-03']
  const run = async (args: string[]) => {
    const { code, stdout, stderr } = await command.run(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  expect(await run(args)).toEqual({ sites: 1, days: 1, seconds: expect.any(Number) })
  const [left] = await database.db<{ count: number }[]>`
    select count(*)::int as count from events where site_no = ${site.siteNo} and type = 'pageview'`
  expect((await overview()).pageviews).toBe(left!.count)
  expect(left!.count).toBeLessThan(pageviews)

  const all = await run(['rollups:backfill'])
  expect(all.sites).toBeGreaterThan(1)
  expect(all.days).toBeGreaterThan(all.sites)
  expect((await overview()).pageviews).toBe(left!.count)
})

test.each([
  [['--site', randomUUID()], /No such site/],
  [['--from', '2025-02-30'], /date/],
  [['--to', 'tomorrow'], /date/],
  [['--from', '2025-02-02', '--to', '2025-02-01'], /2025-02-02 comes after 2025-02-01/],
  [['--from', '2999-01-01'], /future/],
])('rollups:backfill %j ends with 1 and one line that says why', async (args, reason) => {
  await createTestSite(database.db)
  const { code, stdout, stderr } = await command.run(['rollups:backfill', ...args])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^error: [^\n]+\n$/)
  expect(stderr).toMatch(reason)
})
