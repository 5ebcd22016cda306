// @module-tag full
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { getOverview } from '../../src/stats/reads/overview.ts'
import { testDatabase } from '../support/database.ts'
import { lineOf, pageviewLine } from '../support/import-lines.ts'
import { readServices } from '../support/read-services.ts'
import { recountOverview, recountSessions, type SentHit } from '../support/recount.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { expectSameSessions } from '../support/stored.ts'
import { expectRefused, printed, startCommands, temporaryFolder } from './command.ts'

const START = Date.UTC(2025, 0, 1)
const MINUTE = 60_000

const here = startCommands(testDatabase)
const folder = temporaryFolder()
const newSite = (fields = {}) => createTestSite(here.database.db, fields)

/** A site of some weeks: visitors come back within minutes, hours and days. */
function history(count: number): SentHit[] {
  const visitors = Array.from({ length: count / 20 }, () => randomUUID())
  return Array.from({ length: count }, (_, index) => {
    const visitor = visitors[(index * 31 + Math.floor(index / 7) * 17) % visitors.length]!
    const at = START + index * 3 * MINUTE + ((index * 7919) % 1000)
    const path = index % 3 === 0 ? '/' : '/pricing'
    const sent = { id: randomUUID(), at, visitor, path }
    return index % 5 === 4
      ? { ...sent, kind: 'engagement', scroll: 50, engagedMs: 900 }
      : { ...sent, kind: 'pageview', title: 'A page' }
  })
}

function fileOf(lines: string[]): string {
  const file = join(folder, randomUUID())
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

const importArgs = (site: string, file: string) => ['hits:import', '--site', site, '--file', file]
const importFile = async (site: string, file: string) =>
  printed(await here.command.run(importArgs(site, file)))

const countEvents = async ({ siteNo }: TestSite) =>
  (await here.database.db`select from events where site_no = ${siteNo}`).length

test('import: one that is killed several times and run again gives the result of one run', {
  tags: ['full'],
}, async () => {
  const site = await newSite()
  const hits = history(4_000)
  const file = fileOf(hits.map(lineOf))
  const recount = recountSessions([hits])
  for (const enough of [1, 1_000, 2_000]) {
    const run = here.command.run(importArgs(site.id, file), {
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
    ...{ accepted: hits.length - recount.dropped.length, dropped: recount.dropped.length, rejected: [] },
    ...{ rejected_total: 0, seconds: expect.any(Number) },
  })
  await expectSameSessions(here.database.db, site, recount)
  expect(await here.database.db`select from dirty_buckets`).toHaveLength(0)
  const again = await importFile(site.id, file)
  expect({ ...again, seconds: 0 }).toEqual({ ...answer, seconds: 0 })
  await expectSameSessions(here.database.db, site, recount)
})

test('import: it reads standard input and finds the site by its domain', async () => {
  const site = await newSite()
  const [row] = await here.database.db<{ domain: string }[]>`select domain from sites where id = ${site.id}`
  const input = [
    `\uFEFF${pageviewLine(START)}\r\n\r\n`,
    `${pageviewLine(START + 1)}\nnonsense\n`,
    pageviewLine(START + 2),
  ]
  expect(printed(await here.command.run(importArgs(row!.domain, '-'), { input }))).toEqual({
    accepted: 3,
    dropped: 0,
    rejected: [{ line: 4, error: 'the line is not valid JSON' }],
    rejected_total: 1,
    seconds: expect.any(Number),
  })
  expect(await countEvents(site)).toBe(3)
})

test('import: memory use does not depend on the length of the stream', { tags: ['full'] }, async () => {
  const site = await newSite()
  const lines = 5_000
  function* longStream() {
    for (let index = 0; index < lines; index++) {
      // Most lines are read and not stored, so that the memory for reading dominates.
      const rest = { padding: 'x'.repeat(16_000), ip: `203.0.113.${index % 250}` }
      yield `${pageviewLine(START + index * 100, rest)}\n`
      if (index === lines / 2) yield `${'y'.repeat(50_000_000)}\n`
    }
  }
  let peakKib = 0
  const run = await here.command.run(importArgs(site.id, '-'), {
    input: longStream(),
    // A small heap: otherwise uncollected garbage would count as memory use.
    nodeOptions: '--max-old-space-size=110',
    onStart(child) {
      const timer = setInterval(() => {
        const file = `/proc/${child.pid}/status`
        const status = existsSync(file) ? readFileSync(file, 'utf8') : ''
        peakKib = Math.max(peakKib, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0))
      }, 50)
      child.once('exit', () => clearInterval(timer))
    },
  })
  expect(printed(run)).toMatchObject({ accepted: lines, rejected_total: 1 })
  // The stream has 130 MB.
  expect(peakKib).toBeLessThan(250 * 1024)
})

test('import: a wrong site, file or option ends with 1 and one line that says why', async () => {
  const [{ id }, other] = [await newSite(), await newSite()]
  const ids = here.database.db([id, other.id])
  await here.database.db`update sites set domain = 'twice.example' where id in ${ids}`
  for (const [args, reason] of [
    [['--site', randomUUID(), '--file', 'package.json'], /No such site/],
    [['--site', 'nobody.example', '--file', 'package.json'], /No such site/],
    [['--site', 'not a domain', '--file', 'package.json'], /No such site/],
    [['--file', 'package.json'], /--site/],
    [['--site', 'x'], /--file/],
    [['--site', id, '--file', '/nowhere/hits.jsonl'], /ENOENT/],
    [['--site', id, '--file', folder], /EISDIR/],
    [['--site', 'twice.example', '--file', '-'], /2 sites have the domain twice.example; give the id of one/],
  ] as const) {
    expectRefused(await here.command.run(['hits:import', ...args]), reason, args.join(' '))
  }
})

test('backfill: it finds changes made directly in the database and returns the number of covered days', async () => {
  const site = await newSite({ timezone: 'Asia/Kathmandu' })
  const hits = history(2_000)
  await importFile(site.id, fileOf(hits.map(lineOf)))
  const { siteNo, timezone } = { ...site, timezone: 'Asia/Kathmandu' }
  const asked = { siteNo, teamId: 'team', timezone, currency: 'USD', firstEventAt: null }
  const [from, to] = ['2025-01-01', '2025-01-31']
  const parts = readServices(here.database.db, new Date())
  const overview = () => getOverview(parts, asked, { range: 'today', from, to })
  const expected = recountOverview(hits, recountSessions([hits]), timezone, from, to)
  expect(await overview()).toMatchObject(expected)

  // Changes rows without marking a bucket dirty, like a change in psql.
  await here.database.db`
    delete from events where site_no = ${site.siteNo} and type = 'pageview'
      and at >= '2025-01-02T18:15Z' and at < '2025-01-03T18:15Z'`
  const { pageviews } = await overview()
  expect(pageviews).toBe(expected.pageviews)
  const run = async (...args: string[]) => printed(await here.command.run(['rollups:backfill', ...args]))
  const day = ['--from', '2025-01-03', '--to', '2025-01-03']
  expect(await run('--site', site.id, ...day)).toEqual({ sites: 1, days: 1, seconds: expect.any(Number) })
  const [left] = await here.database.db<{ count: number }[]>`
    select count(*)::int as count from events where site_no = ${site.siteNo} and type = 'pageview'`
  expect((await overview()).pageviews).toBe(left!.count)
  expect(left!.count).toBeLessThan(pageviews)

  await importFile((await newSite()).id, fileOf([pageviewLine(START)]))
  const all = await run()
  expect(all.sites).toBeGreaterThan(1)
  expect(all.days).toBeGreaterThan(all.sites)
  expect((await overview()).pageviews).toBe(left!.count)
})

test('backfill: a wrong site or day ends with 1 and one line that says why', async () => {
  await newSite()
  for (const [args, reason] of [
    [['--site', randomUUID()], /No such site/],
    [['--from', '2025-02-30'], /date/],
    [['--to', 'tomorrow'], /date/],
    [['--from', '2025-02-02', '--to', '2025-02-01'], /2025-02-02 comes after 2025-02-01/],
    [['--from', '2999-01-01'], /future/],
  ] as const) {
    expectRefused(await here.command.run(['rollups:backfill', ...args]), reason, args.join(' '))
  }
})
