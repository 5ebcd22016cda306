import { expect, test } from 'vitest'
import { forgetOldEntries, listAuditEntries, mergeCounts } from '../../../src/access/audit/list-entries.ts'
import { createTeam } from '../../../src/access/teams/accounts.ts'
import { testDatabase, useDatabase } from '../../support/database.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const ADA = '00000000-0000-4000-8000-00000000000a'
const BOB = '00000000-0000-4000-8000-00000000000b'

const database = useDatabase(testDatabase)

interface Entry {
  action: 'site.create' | 'site.change' | 'token.create'
  userId: string | null
}

/** Nine entries, named 0 to 8 from the oldest. */
const ENTRIES = [...Array(9).keys()].map(
  (index): Entry => ({
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

test('audit log: a page has its entries, the newest first, and their number, with each filter', async () => {
  const teamId = await filledTeam()
  const filters: { action?: Entry['action']; user_id?: string }[] = [
    {},
    { action: 'site.change' },
    { action: 'token.create' },
    { user_id: ADA },
    { user_id: BOB, action: 'site.create' },
    { user_id: '00000000-0000-0000-0000-000000000000' },
  ]
  for (const filter of filters) {
    const { action, user_id } = filter
    const isShown = (entry: Entry) =>
      (!action || entry.action === action) && (!user_id || entry.userId === user_id)
    const expected = [...ENTRIES.keys()].filter(index => isShown(ENTRIES[index]!)).reverse()
    for (let page = 1; page <= 6; page += 1) {
      const actors = expected.slice((page - 1) * 2, page * 2)
      expect(await read(teamId, { ...filter, page })).toEqual({ actors, total: expected.length })
    }
  }
})

test('audit log: the number of entries stays right when counts are added up, when old entries go, and when the team goes', async () => {
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
  await db`delete from teams where id = ${teamId}`
  await mergeCounts(db, { limit: 1_000 })
  expect(await rowsOf()).toBe(0)
})
