import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expectRefused, printed, startCommands, temporaryFolder } from '../../../scripts/command.ts'
import { createTestSite, type TestSite } from '../../../support/sites.ts'
import { umamiExport } from '../../../support/umami-export.ts'

const START = Date.UTC(2025, 0, 1)

const here = startCommands()
const folder = temporaryFolder()
const newSite = () => createTestSite(here.database.db)

function fileOf(bytes: Buffer | string, name = 'export.zip'): string {
  const file = join(folder, name)
  writeFileSync(file, bytes)
  return file
}

const run = (site: string, file: string, ...more: string[]) =>
  here.command.run(['import:umami', '--site', site, '--file', file, ...more])

async function importFile(site: TestSite, file: string, ...more: string[]) {
  const { seconds: _, ...result } = printed(await run(site.id, file, ...more))
  return result
}

const stored = async ({ siteNo }: TestSite) => {
  const [row] = await here.database.db`
    select
      (select count(*)::int from events where site_no = ${siteNo} and type <> 'identify') as hits,
      (select count(*)::int from visitors where site_no = ${siteNo} and imported_as = 'umami') as imported,
      (select count(*)::int from visitors where site_no = ${siteNo}) as visitors,
      (select count(*)::int from identities where site_no = ${siteNo} and imported_as = 'umami') as users`
  return row!
}

test('import command: a dry run stores nothing and counts what the import then counts', async () => {
  const site = await newSite()
  const file = fileOf(umamiExport({ events: 900, start: START }))
  const { notes, repeated, ...dry } = await importFile(site, file, '--dry-run')
  expect(await stored(site)).toMatchObject({ hits: 0, visitors: 0 })
  expect(notes).not.toEqual([])
  expect(dry).toMatchObject({
    format: 'umami',
    dry_run: true,
    period: { from: '2025-01-01T00:00:00.000Z', to: '2025-01-01T14:59:00.000Z' },
    left: [{ reason: 'crawler', rows: 22, lines: expect.any(Array) }],
    left_total: 22,
    visitors: 180,
    dropped: 8,
    rejected: [],
  })
  const real = await importFile(site, file)
  expect({ ...real, dry_run: true }).toEqual(dry)
  expect(repeated).toBe(0)
  expect(await stored(site)).toEqual({
    hits: dry.accepted - dry.hits.identify,
    // Two visitors of the file have events of a reserved name only.
    imported: 178,
    visitors: 178,
    users: 18,
  })
})

test('import command: a file again adds nothing, and a longer one only what is new', {
  tags: ['full'],
}, async () => {
  const site = await newSite()
  const exported = (events: number) => fileOf(umamiExport({ events, start: START, visitors: 60 }))
  const short = await importFile(site, exported(300))
  const before = await stored(site)
  expect(await importFile(site, exported(300))).toEqual(short)
  expect(await stored(site)).toEqual(before)
  const dry = await importFile(site, exported(400), '--dry-run')
  expect(dry.repeated).toBe(short.accepted)
  expect(await importFile(site, exported(400))).toMatchObject({ accepted: dry.accepted })
  expect(await stored(site)).toMatchObject({ hits: dry.accepted - dry.hits.identify, visitors: 60 })
})

test('import command: hits that are not valid are counted by reason', async () => {
  const site = await newSite()
  const rows =
    'session_id,created_at,url_path,hostname\na,2999-01-01 10:00:00,/,example.com\na,2025-01-01 10:00:00,/,\n'
  expect(await importFile(site, fileOf(rows, 'website_event.csv'))).toMatchObject({
    accepted: 1,
    rejected: [{ reason: 'timestamp lies in the future', hits: 1 }],
    rejected_total: 1,
  })
})

test('import command: what is wrong is said in one line', async () => {
  const { id } = await newSite()
  const file = fileOf('no export', 'text.csv')
  expectRefused(await run(id, file), /no table of events found/)
  expectRefused(await run(id, '/nowhere'), /ENOENT/)
  expectRefused(await run(id, folder), /is not a file/)
  expectRefused(await run('none.example', file), /No such site/)
  expectRefused(await run(id, file, '--timezone', 'CET+1'), /IANA/)
})
