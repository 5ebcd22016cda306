import { expect, test } from 'vitest'
import { type Read, type Source, sourceOf } from '../../src/stats/planner.ts'

const resolved = {
  siteNo: 1,
  start: new Date('2026-03-01'),
  end: new Date('2026-03-31'),
  question: { start: 0, end: 0, filters: [], properties: [], goals: [], requested: 0 as const },
}
const UNDER_FILTERS = {
  country: {
    filters: [
      {
        dimension: 'country' as const,
        condition: { field: 'country', operator: 'is' as const, values: ['DE'] },
      },
    ],
  },
  'a property': { properties: [{ keys: [], values: [] }] },
  'a goal': { goals: [[]] },
}

const READS: [Read, string | undefined, Source][] = [
  ['traffic', undefined, 'rollups'],
  ['values', 'path', 'rollups'],
  ['values', 'hour_of_week', 'rollups'],
  ['values', 'property/event/Signup', 'rollups'],
  ['values', 'user_id', 'columns'],
  ['money', undefined, 'buckets'],
  ['mrr', undefined, 'ledger'],
  ['moneyByValue', 'country', 'ledger'],
  ['moneyByValue', 'path', 'columns'],
  ['moneyByValue', 'hour_of_week', 'columns'],
  ['visitors', undefined, 'newest'],
  ['sessionsOfVisitors', undefined, 'rows'],
]

test.each(READS)(
  'planner: %s by %s without filters is read from %s, with filters from columns',
  (read, dimension, source) => {
    expect(sourceOf(read, resolved, dimension)).toBe(source)
    for (const filter of Object.values(UNDER_FILTERS)) {
      const question = { ...resolved.question, ...filter }
      expect(sourceOf(read, { ...resolved, question }, dimension)).toBe('columns')
    }
  },
)
