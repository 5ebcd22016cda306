import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectRoot } from '../../src/config.ts'
import { startDatabase } from '../../src/embedded/database.ts'
import { connectDb, type Db } from '../../src/infra/db.ts'
import { checkDatabase, migrate } from '../../src/infra/migrate.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { foldDay } from '../../src/rollups/folds/fold-day.ts'
import { numbersOf, textsOf } from '../../src/rollups/folds/texts.ts'
import { tasks } from '../../src/rollups/tasks.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { expectFoldsEqualRows, type FoldedSite } from '../support/expect-folds.ts'
import { foldAll } from '../support/fold.ts'
import { enrichedHit } from '../support/hits.ts'
import { silentLog } from '../support/log.ts'
import { createTestSite } from '../support/sites.ts'

/** Two texts that have one MD5. */
const TWINS = ['A', 'E'].map(
  letter => `TEXTCOLLBYfGiJUETHQ4h${letter}cKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak`,
)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const TODAY = Date.UTC(2026, 2, 10)

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await testDatabase()
  db = database.db
})
afterAll(() => database.close())

const numbers = (siteNo: number, texts: string[], isNaming = true) =>
  numbersOf(db, siteNo, texts, { isNaming })

test('the twins are two texts with one MD5', () => {
  expect(TWINS[0]).not.toBe(TWINS[1])
  const [one, other] = TWINS.map(text => createHash('md5').update(text).digest('hex'))
  expect(one).toBe(other)
})

test('every text has a number of its own, which it keeps', async () => {
  const texts = [...TWINS, '', 'é😀', 'a', 'A']
  const named = await numbers(1, texts)
  expect([...named.keys()].sort()).toEqual(texts.toSorted())
  expect(new Set(named.values()).size).toBe(texts.length)
  expect([...(await numbers(1, [...texts, 'new']))]).toEqual(expect.arrayContaining([...named]))
  expect(await numbers(1, [...texts, 'unknown'], false)).toEqual(named)
  const read = await textsOf(db, 1, [...named.values()])
  expect(read).toEqual(new Map([...named].map(([text, number]) => [number, text])))
})

test('a number stands for nothing on another site', async () => {
  const named = await numbers(2, ['of one site'])
  const other = await numbers(3, ['of another'])
  expect(other.get('of another')).not.toBe(named.get('of one site'))
  expect(await textsOf(db, 3, [...named.values()])).toEqual(new Map())
})

async function foldedSite(): Promise<FoldedSite> {
  const site = { ...(await createTestSite(db)), timezone: 'UTC' }
  const hits = [...TWINS, 'first', 'last'].flatMap((text, index) => {
    const at = TODAY - DAY + index * HOUR
    return [
      enrichedHit(site, at, { url: `/${text}`, title: text }),
      enrichedHit(site, at + 1, { type: 'event', name: text, url: '/', props: { [text]: text } }),
    ]
  })
  await storeHits(db, 0, hits)
  await foldAll(db, new Date(TODAY + HOUR))
  return site
}
const DAYS = [{ from: '2026-03-09', to: '2026-03-09' }]

test('texts that have one MD5 count apart on a day that is folded', async () => {
  const unanswered = await expectFoldsEqualRows(db, await foldedSite(), DAYS, new Date(TODAY + HOUR))
  expect(unanswered.filter(asked => !asked.includes('payment'))).toEqual([])
})

test('a day that was folded when such texts had one number is read from rows', async () => {
  const site = await foldedSite()
  // As it was written: a difference of nothing in place of the number that one of them had not.
  const [size, ...rest] = await countsOf(site)
  const before = rest[2]!
  rest[2] = 0
  await write(site, [size!, ...rest])
  const asked = {
    siteNo: site.siteNo,
    window: { start: TODAY - DAY, end: TODAY },
    dimension: 'title',
    by: ['hits' as const],
    shown: ['hits' as const],
    leavesOutEmpty: false,
    limit: 10,
    offset: 0,
  }
  expect(before).toBeGreaterThan(0)
  expect(await tasks.rankValues(db, asked)).toBeNull()
  await expectFoldsEqualRows(db, site, DAYS, new Date(TODAY + HOUR))

  // It is none when it grows, and a sound one when it is folded anew.
  const day = { siteNo: site.siteNo, start: TODAY - DAY, end: TODAY, zone: 'UTC', foldedTo: TODAY + HOUR }
  await db`update day_folds set folded_to = starts_at where site_no = ${site.siteNo} and starts_at = ${new Date(day.start)}`
  await foldDay(db, { ...day, isAnew: false, marks: [] })
  expect(await tasks.rankValues(db, asked)).toBeNull()
  await foldDay(db, { ...day, isAnew: true, marks: [] })
  expect(await tasks.rankValues(db, asked)).toMatchObject({ total: 5 })
  await expectFoldsEqualRows(db, site, DAYS, new Date(TODAY + HOUR))
})

test('a day that names what is no text of the site is read from rows', async () => {
  const site = await foldedSite()
  await db`delete from value_texts where site_no = ${site.siteNo} and text = 'last'`
  await expectFoldsEqualRows(db, site, DAYS, new Date(TODAY + HOUR))
})

async function countsOf({ siteNo }: FoldedSite): Promise<number[]> {
  const [row] = await db<{ counts: Buffer }[]>`
    select counts from value_folds where site_no = ${siteNo} and dimension = 'title' order by starts_at desc limit 1`
  return [...row!.counts]
}

const write = ({ siteNo }: FoldedSite, counts: number[]) => db`
  update value_folds set counts = ${Buffer.from(counts)}
  where site_no = ${siteNo} and dimension = 'title' and starts_at = ${new Date(TODAY - DAY)}`

/** The statements of the release before texts were told apart by SHA-256. */
const EARLIER_FIND = `
  select digest, text_no as "textNo" from fold_texts where site_no = $1::int and digest = any($2::uuid[])`
const EARLIER_READ = 'select text_no as "textNo", text from fold_texts where text_no = any($1::int[])'
const EARLIER_NAME = `
  insert into fold_texts (site_no, digest, text)
  select $1::int, digest, text from unnest($2::uuid[], $3::text[]) as given (digest, text)
  where not exists (select from fold_texts where site_no = $1::int and fold_texts.digest = given.digest)
  on conflict (site_no, digest) do nothing
  returning digest, text_no`
const EARLIER_PURGE = `
  delete from fold_texts where text_no in (select text_no from fold_texts where site_no = $1::int limit $2::int)`

test('texts that were numbered by MD5 keep their numbers; who knows of MD5 alone reads on, and numbers nothing', async () => {
  const embedded = await startDatabase({ log: silentLog })
  const old = connectDb(embedded.url, { max: 1, name: 'test' })
  await checkDatabase(old)
  await old`create table migrations (name text primary key, applied_at timestamptz not null default now())`
  const folder = join(projectRoot, 'sql', 'migrations')
  for (const name of readdirSync(folder).sort()) {
    if (name >= '0025') continue
    await old.unsafe(readFileSync(join(folder, name), 'utf8'))
    await old`insert into migrations (name) values (${name})`
  }
  const md5 = (text: string) => createHash('md5').update(text).digest('hex')
  const texts = ['', '/é😀', TWINS[0]!]
  const ask = (sql: string, ...parameters: unknown[]) =>
    old.unsafe<{ textNo: number }[]>(sql, parameters as never[], { prepare: true })
  const name = (some: string[]) => ask(EARLIER_NAME, 7, some.map(md5), some)
  await name(texts)
  const find = () => ask(EARLIER_FIND, 7, texts.map(md5))
  const read = () => ask(EARLIER_READ, [1, 2, 3])
  const before = [await find(), await read()]
  expect(before.map(rows => rows.length)).toEqual([3, 3])

  expect(await migrate(old)).toContain('0025_text_digests.sql')
  const named = await numbersOf(old, 7, [...texts, TWINS[1]!], { isNaming: true })
  expect(new Set(named.values()).size).toBe(4)
  const kept = await textsOf(old, 7, [1, 2, 3])
  expect([...kept.values()].sort()).toEqual(texts.toSorted())
  expect(texts.map(text => kept.get(named.get(text)!))).toEqual(texts)

  await old`delete from value_texts where text = ${TWINS[1]!}`
  const after = [await find(), await read()]
  const inOrder = (rows: { textNo: number }[]) => rows.toSorted((a, b) => a.textNo - b.textNo)
  expect(after.map(inOrder)).toEqual(before.map(inOrder))
  await expect(name(['never before'])).rejects.toThrow()
  await ask(EARLIER_PURGE, 7, 2)
  expect(await find()).toHaveLength(1)
  await old.end()
  await embedded.close()
}, 60_000)
