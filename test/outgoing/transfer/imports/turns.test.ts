import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { ImportKind } from '../../../../src/outgoing/transfer/imports/import-kind.ts'
import { IMPORT_KINDS } from '../../../../src/outgoing/transfer/imports/registry.ts'
import type { TaskServices } from '../../../../src/outgoing/transfer/imports/run-task.ts'
import { createTurn } from '../../../../src/outgoing/transfer/imports/turn.ts'
import { startImportWorker } from '../../../../src/outgoing/transfer/imports/worker.ts'
import { UNPACK_LIMITS } from '../../../../src/outgoing/transfer/read/limits.ts'
import { testDatabase, useDatabase } from '../../../support/database.ts'
import { deferred } from '../../../support/deferred.ts'
import { silentLog } from '../../../support/log.ts'
import { createTestSite, type TestSite } from '../../../support/sites.ts'

const NOW = new Date('2026-03-18T12:00:00Z')

const database = useDatabase(testDatabase)
let services: TaskServices
/** Names of the files, in the order of their steps; each step takes a unit of time. */
let steps: string[] = []
/** Called at each step. */
let onStep: (name: string) => unknown = () => {}

/** A kind of imports that does as many steps as a file has bytes. */
const STEPS: ImportKind = {
  formats: {},
  async run(_services, { file, turn }) {
    for (let step = 0; step < file.bytes; step++) {
      await turn.pass()
      await onStep(file.name)
      steps.push(file.name)
    }
    return {}
  },
  undo: () => Promise.reject(new Error('not tested')),
}

beforeAll(() => {
  IMPORT_KINDS.steps = STEPS
  const { db } = database
  services = { db, log: silentLog, now: () => NOW, limits: UNPACK_LIMITS } as TaskServices
})
afterEach(() => {
  steps = []
  onStep = () => {}
})

async function request({ siteNo }: TestSite, name: string, bytes: number) {
  const id = randomUUID()
  await database.db`
    insert into imports (id, site_no, kind, format, timezone, file_name, bytes, state, created_at, requested_at)
    select ${id}, ${siteNo}, 'steps', 'steps', 'UTC', ${name}, ${bytes}, 'importing', ${NOW},
      ${NOW}::timestamptz + count(*) * interval '1 ms'
    from imports`
  return id
}
const newSite = () => createTestSite(database.db)
const clock = () => steps.length
const start = (options: object = {}, given = services) =>
  startImportWorker(given, { askMs: 5, prolongMs: 5, clock, sliceMs: 2, ...options })
const readImport = async (id: string) => (await database.db`select * from imports where id = ${id}`)[0]!

async function untilDone(...ids: string[]) {
  const states = () => database.db`select distinct state from imports where id = any(${ids}::uuid[])`
  await expect.poll(states).toEqual([{ state: 'done' }])
}

/** Runs a worker until all of the imports are done. */
async function run(ids: string[], options = {}) {
  const worker = start(options)
  await untilDone(...ids)
  await worker.stop()
  return steps.join('')
}

test('turns of imports: a slice ends with the first step after its time; a turn that is over waits for the next one', async () => {
  let time = 0
  const turn = createTurn(new AbortController().signal, { sliceMs: 10, clock: () => time })
  const before = turn.pass()
  const first = turn.go()
  await before
  time = 9
  expect(turn.pass()).toBeUndefined()
  time = 10
  const waits = turn.pass()
  await first
  let hasGone = false
  void waits!.then(() => {
    hasGone = true
  })
  await new Promise(setImmediate)
  expect(hasGone).toBe(false)
  const second = turn.go()
  await waits
  expect(turn.pass()).toBeUndefined()
  time = 20
  void turn.pass()
  await second
})

test('turns of imports: teams take turns, and each task goes on where it was', async () => {
  const ids = [
    await request(await newSite(), 'a', 6),
    await request(await newSite(), 'b', 5),
    await request(await newSite(), 'c', 1),
  ]
  expect(await run(ids)).toBe('aabbcaabbaab')
})

test('turns of imports: one task of a team that waits comes before the many of another', async () => {
  const [one, other] = [await newSite(), await newSite()]
  const ids = [await request(one, '1', 1), await request(one, '2', 3), await request(one, '3', 1)]
  ids.push(await request(other, 'b', 3))
  expect(await run(ids)).toBe('1bb22b23')
})

test('turns of imports: without a place, a team has one slice at once; a task that is longer waits for a place and begins anew', async () => {
  const ids = [
    await request(await newSite(), 'a', 7),
    await request(await newSite(), 'b', 3),
    await request(await newSite(), 'c', 1),
  ]
  expect(await run(ids, { mostOpen: 1 })).toBe('aabbcaaaaabbb')
  const { failures } = await readImport(ids[1]!)
  expect(failures).toBeLessThanOrEqual(1)
})

test('turns of imports: when the process is killed, only the task that had its turn has failed', async () => {
  const [one, other] = [await request(await newSite(), 'a', 4), await request(await newSite(), 'b', 4)]
  const failures = async () => [(await readImport(one)).failures, (await readImport(other)).failures]
  const seen: [string, number[]][] = []
  onStep = async name => seen.push([name, await failures()])
  await run([one, other])
  const ofBoth = seen.slice(0, 6).map(([name, [a, b]]) => `${name}${a}${b}`)
  expect(ofBoth.join(' ')).toBe('a10 a10 b01 b01 a10 a10')
})

test('turns of imports: a task that is canceled while another team has its turn ends at once, and so does its claim', async () => {
  const [canceled, other] = [await request(await newSite(), 'a', 9), await request(await newSite(), 'b', 3)]
  const isCanceled = deferred()
  onStep = name => (name === 'b' ? isCanceled.promise : undefined)
  const worker = start()
  await expect.poll(async () => (await readImport(other)).claimed_by).not.toBeNull()
  await database.db`update imports set state = 'canceled' where id = ${canceled}`
  await expect.poll(async () => (await readImport(canceled)).claimed_by).toBeNull()
  isCanceled.resolve()
  await untilDone(other)
  await worker.stop()
  expect(steps.join('')).toBe('aabbb')
})

test('turns of imports: a process that stops gives back all tasks that it has begun, and another one goes on', async () => {
  const ids = [await request(await newSite(), 'a', 40), await request(await newSite(), 'b', 40)]
  await database.db`update imports set failures = 1 where id = any(${ids}::uuid[])`
  const worker = start()
  await expect.poll(() => steps.length, { interval: 1 }).toBeGreaterThan(4)
  await worker.stop()
  for (const id of ids) expect(await readImport(id)).toMatchObject({ claimed_by: null, failures: 1 })
  await run(ids)
  // Nothing of either is left out.
  for (const name of ['a', 'b']) expect(steps.filter(step => step === name).length).toBeGreaterThanOrEqual(40)
})
