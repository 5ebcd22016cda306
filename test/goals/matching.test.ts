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

test.each<[Parameters<typeof goal>[0], GoalTarget]>([
  [
    { type: 'page', matchValue: '/a', matchOperator: 'matches_pattern' },
    {
      kind: 'pageview',
      on: 'path',
      operator: 'matches_pattern',
      value: '/a',
      scrollThreshold: null,
      props: {},
    },
  ],
  [
    { type: 'scroll', matchValue: '/a', matchOperator: 'is', scrollThreshold: 0 },
    { kind: 'engagement', on: 'path', operator: 'is', value: '/a', scrollThreshold: 0, props: {} },
  ],
  [
    { type: 'event', matchValue: 'signup', customProps: { plan: 'pro' } },
    {
      kind: 'event',
      on: 'name',
      operator: 'is',
      value: 'signup',
      scrollThreshold: null,
      props: { plan: 'pro' },
    },
  ],
  [
    { type: 'form', matchValue: '#checkout', matchOperator: 'starts_with' },
    {
      kind: 'form',
      on: 'selector',
      operator: 'starts_with',
      value: '#checkout',
      scrollThreshold: null,
      props: {},
    },
  ],
  [
    { type: 'outbound', matchValue: null },
    { kind: 'outbound', on: 'selector', operator: 'is', value: null, scrollThreshold: null, props: {} },
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
