import { expect, test } from 'vitest'
import { createTeamTurns } from '../../../src/platform/lib/team-turns.ts'

const items = (...names: string[]) => names.map(name => ({ name, teamId: name[0]! }))

test('team turns: the team whose turn is longest ago comes next, with its first item', () => {
  const turns = createTeamTurns()
  const order = [...turns.each(items('a1', 'a2', 'b1', 'a3', 'c1'))].map(({ name }) => name)
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
  expect(turns.next(items('a4', 'c2', 'b2'))?.name).toBe('b2')
  expect(turns.next(items('a4', 'd1'))?.name).toBe('d1')
  expect(turns.next([])).toBeUndefined()
  // What is not asked for any more has had no turn.
  for (const { name } of turns.each(items('e1', 'f1', 'g1'))) if (name === 'e1') break
  expect(turns.next(items('e2', 'f1'))?.name).toBe('f1')
})
