import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { enrichedHit } from '../support/hits.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { startCommands, temporaryFolder } from './command.ts'

const NOON = Date.UTC(2026, 2, 10, 12)
const DAY = 24 * 3_600_000

const here = startCommands()
const folder = temporaryFolder()
let site: TestSite
beforeAll(async () => {
  const { db } = here.database
  site = await createTestSite(db)
  const hits = [0, 1, 2].map(day => enrichedHit(site, NOON + day * DAY))
  await storeHits(db, 'all', hits)
})

const run = (...args: string[]) => here.command.run(args)
const linesIn = (file: string) => readFileSync(file, 'utf8').trim().split('\n')

test('export:hits writes a file that only its owner may read, and says what is in it', async () => {
  const file = join(folder, 'hits.jsonl')
  const { code, stdout } = await run('export:hits', '--site', site.id, '--file', file)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual({ hits: 3, bytes: statSync(file).size, seconds: expect.any(Number) })
  expect(linesIn(file).map(line => JSON.parse(line).timestamp)).toEqual(
    [0, 1, 2].map(day => new Date(NOON + day * DAY).toISOString()),
  )
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const copy = await createTestSite(here.database.db)
  const imported = await run('hits:import', '--site', copy.id, '--file', file)
  expect(JSON.parse(imported.stdout)).toMatchObject({ accepted: 3, dropped: 0, rejected_total: 0 })
})

test('export:hits takes days of which one may be missing', async () => {
  const file = join(folder, 'days.csv')
  const of = (...days: string[]) =>
    run('export:hits', '--site', site.id, '--format', 'csv', '--file', file, ...days)
  await of('--from', '2026-03-11')
  expect(linesIn(file)).toHaveLength(1 + 2)
  await of('--to', '2026-03-10')
  expect(linesIn(file)).toHaveLength(1 + 1)
  const refused = await of('--from', '2026-03-11', '--to', '2026-03-10')
  expect(refused).toMatchObject({ code: 1, stderr: 'error: --from is later than --to\n' })
})

test('export:hits leaves no file behind when it fails', async () => {
  const file = join(folder, 'missing', 'hits.jsonl')
  const { code } = await run('export:hits', '--site', site.id, '--file', file)
  expect([code, existsSync(file), existsSync(`${file}.part`)]).toEqual([1, false, false])
})

test('export:rows writes one kind as JSON lines', async () => {
  const file = join(folder, 'settings.jsonl')
  const { stdout } = await run('export:rows', '--site', site.id, '--kind', 'settings', '--file', file)
  expect(JSON.parse(stdout)).toEqual({ rows: 1, bytes: statSync(file).size })
  expect(JSON.parse(linesIn(file)[0]!)).toMatchObject({ id: site.id, timezone: 'UTC' })
  const unknown = await run('export:rows', '--site', randomUUID(), '--kind', 'goals', '--file', file)
  expect(unknown).toMatchObject({ code: 1, stderr: 'error: No such site\n' })
})

test('with --file - the data is on standard output', { tags: ['full'] }, async () => {
  const args = ['export:hits', '--site', site.id, '--file', '-']
  const { code, stdout, stderr } = await here.command.run(args, {})
  expect([code, stdout.trim().split('\n').length]).toEqual([0, 3])
  expect(JSON.parse(stderr)).toMatchObject({ hits: 3 })
})
