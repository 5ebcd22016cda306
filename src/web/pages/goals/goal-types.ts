import type { Inputs, Outputs } from '../../api/client.ts'

export type Goal = Outputs['goals']['list']['data'][number]
export type Definition = Omit<Inputs['goals']['create'], 'siteKey'>
export type GoalType = Definition['match_type']
type ValueOperator = NonNullable<Definition['match_operator']>

/** What the value of a goal of each type is, in the order of the menu. Only selectors may be left out. */
export const GOAL_TYPES = {
  event: 'name',
  page: 'path',
  scroll: 'path',
  button: 'selector',
  form: 'selector',
  outbound: 'selector',
  download: 'selector',
  copy: 'selector',
} as const satisfies Record<GoalType, 'name' | 'path' | 'selector'>

export const TYPES = Object.keys(GOAL_TYPES) as GoalType[]

/** What the API takes when no operator is given. */
export const usualOperator = (type: GoalType): ValueOperator => (type === 'event' ? 'is' : 'matches_pattern')

/** Fields of the editor: texts as they are typed. */
export interface Draft {
  type: GoalType
  operator: ValueOperator
  value: string
  threshold: string
  name: string
  hasRevenue: boolean
  props: { key: string; value: string }[]
}

export const NEW_DRAFT: Draft = {
  type: 'event',
  operator: 'is',
  value: '',
  threshold: '75',
  name: '',
  hasRevenue: false,
  props: [],
}

/** Returns a goal as the fields of the editor. */
export const draftOf = (goal: Goal): Draft => ({
  type: goal.type,
  operator: goal.match_operator,
  value: goal.match_value ?? '',
  threshold: goal.scroll_threshold >= 0 ? String(goal.scroll_threshold) : '75',
  name: goal.display_name,
  hasRevenue: goal.currency !== null,
  props: Object.entries(goal.custom_props).map(([key, value]) => ({ key, value })),
})

/** Returns what the API takes for the fields of the editor. */
export function definitionOf(draft: Draft, currency: string): Definition {
  const { type, operator, value, threshold, name, hasRevenue, props } = draft
  const isEvent = type === 'event'
  const given = props.filter(({ key, value: text }) => key !== '' && text !== '')
  return {
    match_type: type,
    match_value: value === '' ? null : value,
    match_operator: operator,
    scroll_threshold: type === 'scroll' && threshold !== '' ? Number(threshold) : null,
    display_name: name.trim() === '' ? null : name,
    currency: isEvent && hasRevenue ? currency : null,
    custom_props:
      isEvent && given.length > 0 ? Object.fromEntries(given.map(each => [each.key, each.value])) : null,
  }
}

/** Whether there is enough to look for. */
export const isComplete = ({ type, value, threshold }: Draft): boolean =>
  (value.trim() !== '' || GOAL_TYPES[type] === 'selector') && (type !== 'scroll' || threshold !== '')
