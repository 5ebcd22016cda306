import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  claimImport,
  prolongClaim,
  putOff,
  releaseClaim,
} from '../../../../src/outgoing/transfer/imports/claims.ts'
import { recordCommand } from '../../../../src/outgoing/transfer/imports/record-command.ts'
import { connectDb, type Db } from '../../../../src/platform/db/connect.ts'
import { testDatabase } from '../../../support/database.ts'
import { ofFile } from '../../../support/of-file.ts'
import { createTestSite } from '../../../support/sites.ts'

/** After this a claim that nobody prolongs has run out. */
const LAPSE_MS = 31_000
const START = Date.parse('2026-03-18T12:00:00Z')

/** Connections of two processes. */
let pools: Db[]
const database = ofFile(testDatabase)
beforeAll(async () => {
  pools = [1, 2].map(() => connectDb(database.url, { max: 4, name: 'test' }))
})
afterAll(() => Promise.all(pools.map(pool => pool.end({ timeout: 5 }))))

async function request(siteNo: number, state = 'importing') {
  const id = randomUUID()
  await database.db`
    insert into imports (
      id, site_no, kind, format, timezone, file_name, bytes, state, has_written, created_at, requested_at
    )
    values (
      ${id}, ${siteNo}, 'hits', 'umami', 'UTC', 'a.zip', 1, ${state}, true, ${new Date(START)}, ${new Date(START)}
    )`
  return id
}

/** Claims as a process of its own, from one of the two pools. */
const claim = (ms: number, pool = 0) => claimImport(pools[pool]!, randomUUID(), at(ms))
const newSite = async () => (await createTestSite(database.db)).siteNo
const at = (ms: number) => new Date(START + ms)
const importOf = async (id: string) => (await database.db`select * from imports where id = ${id}`)[0]!
/** Leaves nothing to claim for the tests that follow. */
const endAll = () => database.db`update imports set state = 'done', claimed_by = null, claimed_until = null`

test('claims of imports: of all tasks of a site, one is claimed, however many processes ask at the same moment', async () => {
  const sites = await Promise.all([newSite(), newSite(), newSite()])
  for (const siteNo of sites)
    await Promise.all([request(siteNo), request(siteNo, 'undoing'), request(siteNo, 'checking')])
  const ask = async (ms: number) => {
    const tasks = await Promise.all(Array.from({ length: 12 }, (_, index) => claim(ms, index % 2)))
    return tasks.flatMap(task => task?.siteNo ?? []).sort()
  }
  expect(await ask(0)).toEqual(sites.sort())
  expect(await ask(0)).toEqual([])
  // Two processes are killed; the tasks of their sites are free again, and each is claimed once.
  expect(await ask(LAPSE_MS)).toEqual(sites)
  await endAll()
})

test('claims of imports: a process that stood still goes on, unless another one works on the site now', async () => {
  const siteNo = await newSite()
  await request(siteNo)
  const one = randomUUID()
  const first = (await claimImport(pools[0]!, one, at(0)))!
  expect(await prolongClaim(pools[0]!, one, first, { now: at(LAPSE_MS) })).toBe(true)
  const undo = await request(siteNo, 'undoing')
  await database.db`update imports set requested_at = ${at(-1)} where id = ${undo}`
  expect(await claim(LAPSE_MS, 1)).toBeUndefined()
  expect(await claim(3 * LAPSE_MS, 1)).toMatchObject({ id: undo })
  expect(await prolongClaim(pools[0]!, one, first, { now: at(3 * LAPSE_MS) })).toBe(false)
  await endAll()
})

test('claims of imports: a task whose process is killed three times fails, with the reason', async () => {
  const id = await request(await newSite())
  // An attempt that a process gives back when it stops does not count.
  const process = randomUUID()
  await releaseClaim(pools[0]!, process, (await claimImport(pools[0]!, process, at(0)))!)
  for (const kill of [0, 1, 2]) expect(await claim(kill * LAPSE_MS)).toMatchObject({ id })
  expect(await claim(3 * LAPSE_MS)).toBeUndefined()
  expect(await importOf(id)).toMatchObject({
    state: 'failed',
    error: expect.stringMatching(/was killed while it worked on the import/),
    claimed_by: null,
    finished_at: at(3 * LAPSE_MS),
  })
})

test('claims of imports: failures that may pass are no killed process: ten attempts', async () => {
  const id = await request(await newSite())
  for (let attempt = 0; attempt < 10; attempt++) {
    const process = randomUUID()
    const task = await claimImport(pools[0]!, process, at(attempt * LAPSE_MS))
    expect(task).toMatchObject({ id })
    await putOff(pools[0]!, process, task!, { now: at(attempt * LAPSE_MS), pauseMs: 1_000 })
  }
  expect(await importOf(id)).toMatchObject({ state: 'failed', error: expect.stringMatching(/10 times/) })
})

const given = (siteNo: number) => ({
  ...{ siteNo, kind: 'hits', format: 'umami', website: null, timezone: 'UTC' },
  ...{ fileName: 'a.zip', bytes: 1 },
})
const rowOf = async (siteNo: number) =>
  (await database.db`select * from imports where site_no = ${siteNo} and claimed_by = id`)[0]!

test('a command keeps its claim: other tasks of the site wait for its end', async () => {
  const siteNo = await newSite()
  let now = 0
  const ended = new AbortController()
  const options = { now: () => at(now), prolongMs: 5 }
  const command = recordCommand(pools[0]!, given(siteNo), options, async () => {
    await once(ended.signal, 'abort')
    return { accepted: 1 }
  })
  await expect.poll(() => rowOf(siteNo)).toMatchObject({ state: 'canceled' })
  const undo = await request(siteNo, 'undoing')
  expect(await claim(now, 1)).toBeUndefined()
  const before = (await rowOf(siteNo)).claimed_until
  now = LAPSE_MS - 2_000
  await expect.poll(async () => (await rowOf(siteNo)).claimed_until > before).toBe(true)
  now = LAPSE_MS
  expect(await claim(now, 1)).toBeUndefined()
  ended.abort()
  expect(await command).toEqual({ accepted: 1 })
  expect(await claim(now, 1)).toMatchObject({ id: undo })
  // While something is removed, no command begins.
  const refused = recordCommand(pools[0]!, given(siteNo), { now: () => at(now) }, async () => ({}))
  await expect(refused).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/being undone/),
  })
  await endAll()
})

test('imports of the command line: a command that is to be undone stops, and is undone then', async () => {
  const siteNo = await newSite()
  const aborted = (signal: AbortSignal) =>
    new Promise<object>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const command = recordCommand(pools[0]!, given(siteNo), { now: () => at(0), prolongMs: 5 }, aborted)
  const stopped = expect(command).rejects.toThrow(/undone/)
  await expect.poll(() => rowOf(siteNo)).toMatchObject({ state: 'canceled' })
  const { id } = await rowOf(siteNo)
  await database.db`update imports set state = 'undoing', requested_at = ${at(0)} where id = ${id}`
  await stopped
  expect(await claim(0, 1)).toMatchObject({ id, state: 'undoing' })
  await endAll()
})
