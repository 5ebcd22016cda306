import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { storeHits } from '../../../../src/ingestion/store/store.ts'
import { printed, startCommands, temporaryFolder } from '../../../scripts/command.ts'
import type { AdminCommand } from '../../../support/admin-command.ts'
import { dbOf, testDatabase } from '../../../support/database.ts'
import { enrichedHit } from '../../../support/hits.ts'
import { ofFile } from '../../../support/of-file.ts'
import { createTestSite, type TestSite } from '../../../support/sites.ts'

const NOON = Date.UTC(2026, 2, 10, 12)

const here = startCommands()
const there = startCommands(testDatabase)
const folder = temporaryFolder()
const file = join(folder, 'team.tar')

const source = dbOf(ofFile(async () => ({ db: here.database.db })))
const target = dbOf(ofFile(async () => ({ db: there.database.db })))
const site = ofFile(() => createTestSite(source))
beforeAll(() => storeHits(source, 0, [enrichedHit(site, NOON), enrichedHit(site, NOON + 1_000)]))

const teamOf = async ({ id }: TestSite) =>
  (await source<{ teamId: string }[]>`select team_id as "teamId" from sites where id = ${id}`)[0]!.teamId

test('team:export writes a tar file that other programs read, and team:import makes the team', async () => {
  const team = await teamOf(site)
  // An import whose file is not in the archive can only be undone there.
  await source`
    insert into imports (id, site_no, kind, format, timezone, file_name, bytes, state, has_written, created_at)
    values (${site.id}, ${site.siteNo}, 'hits', 'umami', 'UTC', 'a.zip', 9, 'importing', true, now())`
  const exported = await here.command.run(['team:export', '--team', team, '--file', file])
  expect(printed(exported)).toMatchObject({ rows: 6, bytes: readFileSync(file).length })
  const names = execFileSync('tar', ['-tf', file]).toString().trim().split('\n')
  expect(names).toEqual([
    `sites/${site.id}/settings-0001.jsonl`,
    `sites/${site.id}/visitors-0001.jsonl`,
    `sites/${site.id}/hits-0001.jsonl`,
    `sites/${site.id}/imports-0001.jsonl`,
    'manifest.json',
  ])

  const restored = printed(await there.command.run(['team:import', '--file', file]))
  expect(restored).toMatchObject({ team_id: team, sites: [{ site_id: site.id, hits: 2 }] })
  const [made] = await target`select tracking_key from sites where id = ${site.id}`
  expect(made!.tracking_key).toBe(site.key)
  expect(await target`select state, has_written from imports`).toEqual([
    { state: 'canceled', has_written: true },
  ])
})

test('team:import says in one line why a file is refused; so does team:export of a team', async () => {
  writeFileSync(file, 'no tar file, but long enough to have a block of its own'.repeat(20))
  expect(await there.command.run(['team:import', '--file', file])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'error: the file is no archive of a team: it is not a tar file, or it was changed\n',
  })
  const none = '00000000-0000-4000-8000-000000000000'
  expect(await here.command.run(['team:export', '--team', none, '--file', file])).toMatchObject({
    code: 1,
    stderr: 'error: No such team\n',
  })
})

describe('killed in the middle', { tags: ['full'] }, () => {
  const HITS = 2_000
  let teamId: string
  let siteId: string
  const whole = () => join(folder, 'large.tar')
  beforeAll(async () => {
    const large = await createTestSite(source)
    siteId = large.id
    teamId = await teamOf(large)
    const hits = Array.from({ length: HITS }, (_, index) => enrichedHit(large, NOON + index * 1_000))
    for (let at = 0; at < HITS; at += 500) await storeHits(source, 0, hits.slice(at, at + 500))
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
    const { code } = await killed(here.command, args, async () => existsSync(`${whole()}.part`))
    expect(code).toBeNull()
    expect(existsSync(whole())).toBe(false)
    await expect(there.command.run(['team:import', '--file', `${whole()}.part`])).resolves.toMatchObject({
      code: 1,
    })
    expect(await here.command.run(args)).toMatchObject({ code: 0, stderr: '' })
    const withContent = readdirSync(folder).filter(name => statSync(join(folder, name)).size > 0)
    expect(withContent.sort()).toEqual(['large.tar', 'team.tar'])
  })

  test('team:import leaves nothing visible, and goes on when it is run again', async () => {
    const stored = async () => {
      const hits = await target`
        select from events
        where site_no = (select site_no from sites where id = ${siteId} and purged_at is null)`
      return hits.length
    }
    const args = ['team:import', '--file', whole()]
    for (const enough of [1, HITS / 2]) {
      const { code } = await killed(there.command, args, async () => (await stored()) >= enough)
      expect(code).toBeNull()
      expect(await target`select id from sites where team_id = ${teamId}`).toEqual([])
    }
    const restored = printed(await there.command.run(args))
    expect(restored).toMatchObject({ sites: [{ site_id: siteId, hits: HITS }] })
    expect(await stored()).toBe(HITS)
    expect(await target`select name from teams where restores_to is not null`).toEqual([])
  })
})
