import { expect, test } from 'vitest'
import { listBackends } from '../../../scripts/bench/service.ts'
import { abandonWhen } from '../../../src/platform/db/abandon.ts'
import { connectDb } from '../../../src/platform/db/connect.ts'
import { dbOf, useDatabase } from '../../support/database.ts'
import { deferred } from '../../support/deferred.ts'
import { ofFile } from '../../support/of-file.ts'

const database = useDatabase()
const db = dbOf(
  ofFile(async () => {
    const connected = connectDb(database.url, { max: 1, name: 'test' })
    return { db: connected, close: () => connected.end({ timeout: 1 }) }
  }),
)

/** Holds the only connection until the returned function is called. */
async function occupy(): Promise<() => Promise<unknown>> {
  const { promise: begun, resolve: begin } = deferred()
  const { promise: left, resolve: leave } = deferred()
  const held = db.begin(async tx => {
    await tx`select 1`
    begin()
    await left
  })
  await begun
  return () => {
    leave()
    return held
  }
}

test('reads: a statement that still waits when its request ends is cancelled, and no further one starts', async () => {
  const leave = await occupy()
  const read = abandonWhen(AbortSignal.timeout(50), async () => {
    await expect(listBackends(db)).rejects.toMatchObject({ code: '57014' })
    await expect(listBackends(db)).rejects.toMatchObject({ code: 'unavailable' })
  })
  await read
  await leave()
  expect(await listBackends(db)).toBeInstanceOf(Array)
})

test('reads: a statement in time or outside of a request is not cancelled', async () => {
  expect(await abandonWhen(new AbortController().signal, () => listBackends(db))).toBeInstanceOf(Array)
  const leave = await occupy()
  const waiting = listBackends(db)
  await abandonWhen(AbortSignal.timeout(10), async () => {})
  await leave()
  expect(await waiting).toBeInstanceOf(Array)
})
