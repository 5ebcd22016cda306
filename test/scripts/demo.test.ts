// @module-tag full
import { expect, test } from 'vitest'
import { storyOf } from '../../scripts/demo/story.ts'
import { runDemo } from '../../scripts/demo.ts'
import { findSite } from '../../src/access/sites/find-site.ts'
import { getMoney } from '../../src/stats/money/summary.ts'
import { getOverview } from '../../src/stats/reads/overview.ts'
import { testDatabase, useDatabase } from '../support/database.ts'
import { ofFile } from '../support/of-file.ts'
import { readServices } from '../support/read-services.ts'
import { testRedis } from '../support/redis.ts'
import { expectRefused } from './command.ts'

const NOW = new Date(Date.UTC(2025, 5, 11, 15, 20))
const DAYS = 4
const made = storyOf({ seed: 1, now: NOW.getTime(), days: DAYS, hostname: 'demo.example' })

const database = useDatabase(testDatabase)
const redis = ofFile(testRedis)

const firstRun = ofFile(() => runSmall())

async function run(...args: string[]) {
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url, SECRET_KEY: '0'.repeat(64) }
  const out = { stdout: '', stderr: '' }
  const streamOf = (name: keyof typeof out) => ({ write: (text: string) => (out[name] += text) })
  const options = { env, stdout: streamOf('stdout'), stderr: streamOf('stderr') }
  return { code: await runDemo(args, options, NOW), ...out }
}
const runSmall = (...args: string[]) => run('--days', String(DAYS), ...args)

async function demoSite() {
  const [row] = await database.db`
    select id, team_id from sites where domain = 'demo.example' and deleted_at is null`
  return findSite(database.db, { teamId: row!.team_id, siteIds: null }, row!.id)
}

/** Compares what the service counts with what was made up. */
async function expectMade() {
  const site = await demoSite()
  const counts = made.lines.counts()
  const services = readServices(database.db, NOW)
  const overview = await getOverview(services, site, { range: 'all' })
  const { pageviews, sessions, visitors, customEvents: custom_events } = counts
  expect(overview).toMatchObject({ pageviews, sessions, visitors, custom_events, days: DAYS })
  const money = await getMoney(services, site, { range: 'all', from: '2024-01-01', to: '2025-06-11' })
  // A wholly refunded payment counts as none.
  const payments = made.payments - made.wholeRefunds
  const { mrr, subscribed: active_customers } = made
  expect(money).toMatchObject({ mrr, active_customers, payments, now: { mrr } })
  expect(mrr).toBeGreaterThan(0)
  return site
}

test('demo: it makes a first team, and a site whose numbers are those that were made up', async () => {
  const { code, stdout, stderr } = firstRun
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('http://127.0.0.1:3000/sites/demo.example')
  expect(stdout).toContain(`${made.lines.counts().pageviews.toLocaleString('en-US')} pageviews`)
  expect(stdout).toMatch(/TOKEN=wa_\w+/)
  expect(stdout).toMatch(/\/setup#/)
  const { siteNo } = await expectMade()
  // Reads are fast at once: every day is rolled up, and nothing waits for a refresh.
  const rollups = await database.db`select from daily_rollups where site_no = ${siteNo} and pageviews > 0`
  expect(rollups).toHaveLength(DAYS)
  expect(await database.db`select from dirty_buckets`).toHaveLength(0)
})

test('demo: the site has goals, a funnel, a segment, annotations and a payment processor', async () => {
  const { siteNo } = await demoSite()
  const goals = await database.db`
    select from goals
    where site_no = ${siteNo} and display_name in ('Signup', 'Trial started', 'Newsletter')`
  expect(goals).toHaveLength(3)
  const count = async (table: string) =>
    (await database.db`select from ${database.db(table)} where site_no = ${siteNo}`).length
  const tables = ['funnels', 'segments', 'annotations', 'processor_connections']
  expect(await Promise.all(tables.map(count))).toEqual([1, 1, 2, 1])
  const people = await database.db`select from identities where site_no = ${siteNo} and name <> ''`
  expect(people.length).toBeGreaterThan(0)
  expect(await count('web_vitals')).toBeGreaterThan(0)
})

test('demo: a second run leaves the site as it is and says what to do', async () => {
  const before = await demoSite()
  const { code, stdout, stderr } = await runSmall()
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^error: demo\.example is there already: [^\n]*--replace[^\n]*--domain[^\n]*\n$/)
  expect((await demoSite()).id).toBe(before.id)
})

test('demo: --replace deletes the site and makes it anew, with the same numbers', async () => {
  const before = await demoSite()
  const { code, stdout, stderr } = await runSmall('--replace')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  // The owner's token was shown by the first run.
  expect(stdout).not.toContain('TOKEN=')
  expect(stdout).toContain('bootstrap')
  const after = await expectMade()
  expect(after.id).not.toBe(before.id)
  const [gone] = await database.db`select deleted_at from sites where id = ${before.id}`
  expect(gone!.deleted_at).not.toBeNull()
})

test('demo: what a run has left that was cut off is deleted, and the next run begins anew, with its progress', async () => {
  const { db } = database
  const { teamId } = await demoSite()
  await db`insert into sites (team_id, domain) values (${teamId}, 'unfinished.other.example')`
  const { code, stdout } = await run('--days', '1', '--domain', 'other.example')
  expect(code).toBe(0)
  expect(stdout).toContain('An earlier run was cut off: this one begins anew')
  for (const said of ['importing: 100 %', 'rolling up: 100 %', 'recording money: 100 %'])
    expect(stdout).toContain(said)
  const sites =
    await db`select domain, deleted_at is null as live from sites where domain like '%other.example' order by live`
  expect(sites).toEqual([
    { domain: 'unfinished.other.example', live: false },
    { domain: 'other.example', live: true },
  ])
})

test('demo: a wrong option ends with 1 and one line that says why', async () => {
  for (const [args, reason] of [
    [['--domain', 'example.com'], /must end with \.example/],
    [['--domain', 'no domain.example'], /must end with \.example/],
    [['--days', '0'], /whole number from 1 to 365/],
    [['--days', '366'], /whole number from 1 to 365/],
    [['--seed', 'x'], /whole number/],
    [['--timezone', 'Mars/Olympus'], /IANA time zone/],
    [['--team', 'x'], /UUID/],
    [['--team', '00000000-0000-4000-8000-000000000000'], /no team .* with an owner/],
    [['--unknown'], /unknown option/],
    [['word'], /too many arguments/],
  ] as const) {
    expectRefused(await run(...args), reason, args.join(' '))
  }
})
