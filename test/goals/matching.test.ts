import { expect, test } from 'vitest'
import { type GoalTarget, targetOf, testOf } from '../../src/goals/matching.ts'
import { compileMatch } from '../../src/rollups/patterns/value-match.ts'

function matchesValue(target: GoalTarget, text: string): boolean {
  const { operator, value } = testOf(target)
  return compileMatch(operator, value)(text)
}

const goal = (definition: Partial<Parameters<typeof targetOf>[0]>) =>
  targetOf({
    type: 'event',
    matchValue: 'x',
    matchOperator: 'is',
    scrollThreshold: -1,
    customProps: {},
    ...definition,
  })

const NONE = { scrollThreshold: null, props: {} }

test.each<[Parameters<typeof goal>[0], GoalTarget]>([
  [
    { type: 'page', matchValue: '/a', matchOperator: 'matches_pattern' },
    { ...NONE, kind: 'pageview', on: 'path', operator: 'matches_pattern', value: '/a' },
  ],
  [
    { type: 'scroll', matchValue: '/a', matchOperator: 'is', scrollThreshold: 0 },
    { ...NONE, kind: 'engagement', on: 'path', operator: 'is', value: '/a', scrollThreshold: 0 },
  ],
  [
    { type: 'event', matchValue: 'signup', customProps: { plan: 'pro' } },
    { ...NONE, kind: 'event', on: 'name', operator: 'is', value: 'signup', props: { plan: 'pro' } },
  ],
  [
    { type: 'form', matchValue: '#checkout', matchOperator: 'starts_with' },
    { ...NONE, kind: 'form', on: 'selector', operator: 'starts_with', value: '#checkout' },
  ],
  [
    { type: 'outbound', matchValue: null },
    { ...NONE, kind: 'outbound', on: 'selector', operator: 'is', value: null },
  ],
])('goal target of %j is %j', (definition, target) => {
  expect(goal(definition)).toEqual(target)
})

test.each<[Parameters<typeof goal>[0], string[], string[]]>([
  [{ matchValue: 'signup' }, ['signup'], ['Signup', 'signup ', '']],
  [{ matchValue: 'signup', matchOperator: 'is_not' }, ['Signup', ''], ['signup']],
  [{ type: 'page', matchValue: '/a/*', matchOperator: 'matches_pattern' }, ['/a/b'], ['/a/b/c', '/a']],
  [{ type: 'page', matchValue: '^/a$', matchOperator: 'matches_regex' }, ['/a'], ['/ab']],
  [{ type: 'copy', matchValue: null, matchOperator: 'is_not' }, ['', '#x'], []],
])('goal %j matches by its operator', (definition, matching, others) => {
  const target = goal(definition)
  for (const value of matching) expect(matchesValue(target, value), value).toBe(true)
  for (const value of others) expect(matchesValue(target, value), value).toBe(false)
})
