import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { type AdminCommand, adminCommand } from '../../support/admin-command.ts'
import { sharedDatabase, type TestDatabase, testDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { type TestRedis, testRedis } from '../../support/redis.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'

const NOON = Date.UTC(2026, 2, 10, 12)

let source: TestDatabase
let target: TestDatabase
let redis: TestRedis
let here: AdminCommand
let there: AdminCommand
let folder: string
let site: TestSite
let file: string

beforeAll(async () => {
  ;[source, target, redis] = await Promise.all([sharedDatabase(), testDatabase(), testRedis()])
  here = await adminCommand({ databaseUrl: source.url, redisUrl: redis.url })
  there = await adminCommand({ databaseUrl: target.url, redisUrl: redis.url })
  folder = mkdtempSync(join(tmpdir(), 'analytics-archive-'))
  file = join(folder, 'team.tar')
  site = await createTestSite(source.db)
  await storeHits(source.db, 0, [enrichedHit(site, NOON), enrichedHit(site, NOON + 1_000)])
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await Promise.all([here.close(), there.close(), source.close(), target.close(), redis.close()])
})

test('team:export writes a tar file that other programs read, and team:import makes the team', async () => {
  const [team] = await source.db`select team_id from sites where id = ${site.id}`
  // An import whose file is not in the archive can only be undone there.
  await source.db`
    insert into imports (id, site_no, kind, format, timezone, file_name, bytes, state, has_written, created_at)
    values (${site.id}, ${site.siteNo}, 'hits', 'umami', 'UTC', 'a.zip', 9, 'importing', true, now())`
  const exported = await here.run(['team:export', '--team', team!.team_id, '--file', file])
  expect(exported).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(exported.stdout)).toMatchObject({ rows: 6, bytes: readFileSync(file).length })
  const names = execFileSync('tar', ['-tf', file]).toString().trim().split('\n')
  expect(names).toEqual([
    `sites/${site.id}/settings-0001.jsonl`,
    `sites/${site.id}/visitors-0001.jsonl`,
    `sites/${site.id}/hits-0001.jsonl`,
    `sites/${site.id}/imports-0001.jsonl`,
    'manifest.json',
  ])

  const { code, stdout } = await there.run(['team:import', '--file', file])
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 0,
    team_id: team!.team_id,
    sites: [{ site_id: site.id, hits: 2 }],
  })
  const [made] = await target.db`select tracking_key from sites where id = ${site.id}`
  expect(made!.tracking_key).toBe(site.key)
  expect(await target.db`select state, has_written from imports`).toEqual([
    { state: 'canceled', has_written: true },
  ])
}, 30_000)

test('team:import says in one line why a file is refused; so does team:export of a team', async () => {
  writeFileSync(file, 'no tar file, but long enough to have a block of its own'.repeat(20))
  expect(await there.run(['team:import', '--file', file])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'error: the file is no archive of a team: it is not a tar file, or it was changed\n',
  })
  const none = '00000000-0000-4000-8000-000000000000'
  expect(await here.run(['team:export', '--team', none, '--file', file])).toMatchObject({
    code: 1,
    stderr: 'error: No such team\n',
  })
})

describe('killed in the middle', () => {
  const HITS = 2_000
  let teamId: string
  let siteId: string
  const whole = () => join(folder, 'large.tar')
  beforeAll(async () => {
    const large = await createTestSite(source.db)
    siteId = large.id
    const [row] = await source.db`select team_id from sites where id = ${siteId}`
    teamId = row!.team_id
    const hits = Array.from({ length: HITS }, (_, index) => enrichedHit(large, NOON + index * 1_000))
    for (let at = 0; at < HITS; at += 500) await storeHits(source.db, 0, hits.slice(at, at + 500))
  })

  /** Runs a command and kills it once `isTime` is true. */
  const killed = (command: AdminCommand, args: string[], isTime: () => Promise<boolean>) =>
    command.run(args, {
      async onStart(child) {
        while (child.exitCode === null && !(await isTime())) await sleep(5)
        child.kill('SIGKILL')
      },
    })

  test('team:export leaves no file that looks whole, and writes it when it is run again', async () => {
    const args = ['team:export', '--team', teamId, '--file', whole()]
    const { code } = await killed(here, args, async () => existsSync(`${whole()}.part`))
    expect(code).toBeNull()
    expect(existsSync(whole())).toBe(false)
    await expect(there.run(['team:import', '--file', `${whole()}.part`])).resolves.toMatchObject({ code: 1 })
    expect(await here.run(args)).toMatchObject({ code: 0, stderr: '' })
    const withContent = readdirSync(folder).filter(name => statSync(join(folder, name)).size > 0)
    expect(withContent.sort()).toEqual(['large.tar', 'team.tar'])
  }, 60_000)

  test('team:import leaves nothing visible, and goes on when it is run again', async () => {
    const stored = async () => {
      const [row] = await target.db`
        select count(*)::int as count from events
        where site_no = (select site_no from sites where id = ${siteId} and purged_at is null)`
      return row!.count as number
    }
    const args = ['team:import', '--file', whole()]
    for (const enough of [1, HITS / 2]) {
      const { code } = await killed(there, args, async () => (await stored()) >= enough)
      expect(code).toBeNull()
      expect(await target.db`select id from sites where team_id = ${teamId}`).toEqual([])
    }
    const { code, stdout } = await there.run(args)
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      sites: [{ site_id: siteId, hits: HITS }],
    })
    expect(await stored()).toBe(HITS)
    expect(await target.db`select name from teams where restores_to is not null`).toEqual([])
  }, 120_000)
})
