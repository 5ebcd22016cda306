import { beforeAll, expect, test, vi } from 'vitest'
import { createTeam, createUser } from '../../../src/access/teams/accounts.ts'
import { createToken } from '../../../src/access/teams/create-token.ts'
import { generateToken } from '../../../src/access/teams/token-format.ts'
import { authenticate } from '../../support/authenticate.ts'
import { dbOf, useDatabase } from '../../support/database.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)

const database = useDatabase()
const db = dbOf(database)
let teamId: string
let userId: string

beforeAll(async () => {
  teamId = await createTeam(db, { name: 'Test', plan: 'trial', trialEndsAt: later(60) }, NOW)
  userId = await createUser(db, { teamId, email: 'a@example.com', role: 'admin' })
})

const make = (expiresAt: Date | null = null) =>
  createToken(db, { teamId, userId, name: 'test', siteIds: null, expiresAt }, NOW)

async function lastUsedAt(tokenId: string): Promise<Date | null> {
  const [row] = await db<{ at: Date | null }[]>`select last_used_at as at from tokens where id = ${tokenId}`
  return row!.at
}

test('authentication: a token, which is not stored, gives the team, role and plan of the caller', async () => {
  const { id, token } = await make()
  expect(await authenticate(db, `Bearer ${token}`, NOW)).toEqual({
    ...{ tokenId: id, tokenName: 'test', teamId, userId, loginId: null, email: 'a@example.com' },
    ...{ role: 'admin', scopes: ['read', 'write', 'ingest'], siteIds: null, tokenSiteIds: null },
    ...{ expiresAt: null, plan: 'trial', trialEndsAt: later(60) },
  })
  expect(await authenticate(db, `bearer ${token}`, NOW)).toMatchObject({ teamId })
  const [row] = await db<{ text: string }[]>`select tokens::text as text from tokens where id = ${id}`
  expect(row!.text).not.toContain(token.slice(3, 20))
})

test('authentication: an unknown token is refused, a malformed header without a database look-up', async () => {
  const { token } = await make()
  const refusal = { code: 'unauthenticated' }
  await expect(authenticate(db, `Bearer ${generateToken()}`, NOW)).rejects.toMatchObject(refusal)
  const asked = vi.spyOn(database.db, 'unsafe')
  const malformed = ['Bearer', 'Bearer ', token, `Basic ${token}`, `Bearer ${token}x`, `Bearer a ${token}`]
  for (const header of [undefined, '', ...malformed])
    await expect(authenticate(db, header, NOW)).rejects.toMatchObject(refusal)
  expect(asked).not.toHaveBeenCalled()
  asked.mockRestore()
})

test('authentication: a token is refused from the moment it expires', async () => {
  const { token } = await make(later(10))
  expect(await authenticate(db, `Bearer ${token}`, later(9.999))).toMatchObject({ teamId })
  await expect(authenticate(db, `Bearer ${token}`, later(10))).rejects.toMatchObject({
    code: 'unauthenticated',
  })
})

test('authentication: the time of last use is written at most once a minute', async () => {
  const { id, token } = await make()
  await authenticate(db, `Bearer ${token}`, NOW)
  expect(await lastUsedAt(id)).toEqual(NOW)
  await authenticate(db, `Bearer ${token}`, later(59))
  expect(await lastUsedAt(id)).toEqual(NOW)
  await authenticate(db, `Bearer ${token}`, later(60))
  expect(await lastUsedAt(id)).toEqual(later(60))
})

test('authentication: a request succeeds when the time of last use cannot be written', async () => {
  const { token } = await make()
  await db`create function refuse() returns trigger language plpgsql as $$ begin raise 'read-only'; end $$`
  await db`create trigger refuse before update on tokens execute function refuse()`
  expect(await authenticate(db, `Bearer ${token}`, NOW)).toMatchObject({ teamId })
  await db`drop trigger refuse on tokens`
})
