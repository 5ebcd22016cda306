import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetOldEntries, listAuditEntries, mergeCounts } from '../../src/audit/list.ts'
import { createTeam } from '../../src/teams/accounts.ts'
import { testDatabase } from '../support/database.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const ADA = '00000000-0000-4000-8000-00000000000a'
const BOB = '00000000-0000-4000-8000-00000000000b'

let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

interface Entry {
  action: 'site.create' | 'site.change' | 'token.create'
  userId: string | null
}

/** Nine entries, named 0 to 8 from the oldest. */
const ENTRIES = Array.from(
  { length: 9 },
  (_, index): Entry => ({
    action: index % 3 === 0 ? 'site.create' : 'site.change',
    userId: [ADA, BOB, null][index % 3 === 2 ? 2 : index % 2]!,
  }),
)

async function filledTeam(): Promise<string> {
  const { db } = database
  const teamId = await createTeam(db, { name: 'Acme', plan: 'active' }, NOW)
  for (const [index, { action, userId }] of ENTRIES.entries()) {
    await db`
      insert into audit_log (at, team_id, action, user_id, actor, network)
      values (${NOW}, ${teamId}, ${action}, ${userId}, ${String(index)}, '')`
  }
  return teamId
}

const read = async (teamId: string, input: Partial<Parameters<typeof listAuditEntries>[2]>) => {
  const { rows, total } = await listAuditEntries(database.db, teamId, { page: 1, per_page: 2, ...input })
  return { actors: rows.map(({ actor }) => Number(actor)), total }
}

test.for<[filter: { action?: Entry['action']; user_id?: string }, wanted: (entry: Entry) => boolean]>([
  [{}, () => true],
  [{ action: 'site.change' }, ({ action }) => action === 'site.change'],
  [{ action: 'token.create' }, () => false],
  [{ user_id: ADA }, ({ userId }) => userId === ADA],
  [
    { user_id: BOB, action: 'site.create' },
    ({ userId, action }) => userId === BOB && action === 'site.create',
  ],
  [{ user_id: '00000000-0000-0000-0000-000000000000' }, () => false],
])(
  'audit log: %j has each of its entries on one page, the newest first, and their number',
  async ([filter, wanted]) => {
    const teamId = await filledTeam()
    const expected = [...ENTRIES.keys()].filter(index => wanted(ENTRIES[index]!)).reverse()
    for (let page = 1; page <= 6; page += 1) {
      const actors = expected.slice((page - 1) * 2, page * 2)
      expect(await read(teamId, { ...filter, page })).toEqual({ actors, total: expected.length })
    }
  },
)

test('audit log: the number of entries stays right when counts are added up, and when old entries go', async () => {
  const { db } = database
  const teamId = await filledTeam()
  const rowsOf = async () => (await db`select from audit_counts where team_id = ${teamId}`).length
  expect(await rowsOf()).toBe(9)
  await mergeCounts(db, { limit: 1_000 })
  // Two actions of two users and of none.
  expect(await rowsOf()).toBeLessThanOrEqual(6)
  expect(await read(teamId, {})).toEqual({ actors: [8, 7], total: 9 })
  await db`update audit_log set at = ${new Date('2025-02-01T00:00:00Z')} where team_id = ${teamId} and actor < '4'`
  await forgetOldEntries(db, { now: NOW, limit: 1_000 })
  expect(await read(teamId, { page: 3 })).toEqual({ actors: [4], total: 5 })
  await mergeCounts(db, { limit: 1_000 })
  expect(await read(teamId, { page: 3 })).toEqual({ actors: [4], total: 5 })
})

test('audit log: a deleted team leaves no counts', async () => {
  const { db } = database
  const teamId = await filledTeam()
  await mergeCounts(db, { limit: 1_000 })
  await db`delete from teams where id = ${teamId}`
  await mergeCounts(db, { limit: 1_000 })
  expect(await db`select from audit_counts where team_id = ${teamId}`).toEqual([])
})
