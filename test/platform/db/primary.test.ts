import { expect, onTestFinished, test } from 'vitest'
import { connectDb } from '../../../src/platform/db/connect.ts'
import { sharedDatabase } from '../../support/database.ts'
import { databaseProxy } from '../../support/database-proxy.ts'
import { freePort } from '../../support/service.ts'

test('several servers: statements fail while none takes writes, and succeed as soon as one does', async () => {
  const database = await sharedDatabase()
  onTestFinished(() => database.close())
  const port = await freePort()
  const proxy = await databaseProxy(database.url, port)
  proxy.close()
  const servers = `127.0.0.1:${port},127.0.0.1:${await freePort()}`
  const url = `${proxy.url.replace(`127.0.0.1:${port}`, servers)}?target_session_attrs=read-write`
  const db = connectDb(url, { max: 1, name: 'test' })
  onTestFinished(() => db.end({ timeout: 0 }))
  await expect(db`select`).rejects.toThrow('No server of DATABASE_URL takes writes now')

  const back = await databaseProxy(database.url, port)
  onTestFinished(() => back.close())
  expect(await db`select 1 as one`).toEqual([{ one: 1 }])
})
