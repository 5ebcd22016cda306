import { z } from 'zod'
import { label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { envelope, pageFields } from '../../platform/schema/pagination.ts'
import { integer, isWithin, mend, requiredText, text } from '../../platform/schema/validation.ts'
import { refusalOfText, VALUE_OPERATORS, type ValueOperator } from '../../storage/patterns/value-match.ts'

export const GOAL_TYPES = [
  'page',
  'event',
  'scroll',
  'outbound',
  'download',
  'button',
  'form',
  'copy',
] as const
export type GoalType = (typeof GOAL_TYPES)[number]

/** All fields of a goal that a client can set, with defaults filled in. */
export interface GoalDefinition {
  displayName: string
  type: GoalType
  /** Null for an autocapture goal that every event of its kind converts. */
  matchValue: string | null
  matchOperator: ValueOperator
  /** Percent; -1 when it is not a scroll goal. */
  scrollThreshold: number
  currency: string | null
  customProps: Record<string, string>
}

/** A goal as it is stored in the database. */
export interface GoalRecord extends GoalDefinition {
  id: string
  createdAt: Date
}

/** @see docs/api.md "Goals" */
export const Goal = z
  .object({
    id: uuid('Goal id.'),
    display_name: label('Name to show.', 'Purchase'),
    type: z.enum(GOAL_TYPES).meta({ description: 'What is to happen.', example: 'event' }),
    match_value: label(
      'Path, event name or selector; null when anything of its kind counts.',
      'purchase',
    ).nullable(),
    match_operator: z.enum(VALUE_OPERATORS).meta({ description: 'How `match_value` is compared.' }),
    scroll_threshold: z
      .int()
      .meta({ description: 'Percent to be scrolled; -1 when it is not a scroll goal.', example: -1 }),
    currency: label('Currency of a revenue goal.', 'USD').nullable(),
    custom_props: z
      .record(z.string(), z.string())
      .meta({ description: 'Properties that the event must have.', example: { plan: 'team' } }),
    created_at: timestamp('When it was made.').nullable(),
  })
  .meta({ id: 'Goal' })
export type Goal = z.infer<typeof Goal>
export const GoalList = z.array(Goal)
export const GoalPage = envelope(Goal)

export const GoalKey = z.object({ goal: uuid('Goal id.') })

export const ListGoals = z.object({
  search: text(255)
    .optional()
    .meta({ description: 'Part of the display name, in any case.', example: 'sign' }),
  ...pageFields(25),
})
export type ListGoals = z.infer<typeof ListGoals>

const MAX_PROPS = 3

// Zod drops `__proto__` from a record, and a goal without one of its conditions would match other events: refuse the key.
export const CustomProps = z.preprocess(
  (given: Record<string, string> | null | undefined, context) => {
    if (Object.keys(given ?? {}).some(key => mend(key) === '__proto__')) {
      context.addIssue({ code: 'custom', message: 'must not have the key __proto__' })
    }
    return given
  },
  z
    .record(z.string().overwrite(mend), requiredText(2000))
    .refine(props => Object.keys(props).length <= MAX_PROPS, `must have at most ${MAX_PROPS} properties`)
    .refine(
      props => Object.keys(props).every(key => key !== '' && isWithin(key, 300)),
      'must have keys of 1 to 300 characters',
    )
    .nullish(),
)

const GoalFields = z.object({
  match_type: z.enum(GOAL_TYPES).meta({ description: 'What is to happen.' }),
  match_value: text(2048)
    .nullish()
    .meta({
      description:
        'Path of a `page` or `scroll` goal, without query; the address of the site before it is left out. Name of an `event` goal: ' +
        'required there. Selector of the others: without one anything of their kind counts.',
    }),
  match_operator: z
    .enum(VALUE_OPERATORS)
    .nullish()
    .meta({
      description:
        'How the value is compared; `is` for events and `matches_pattern` for the others when left out. A pattern has `*` for any ' +
        'run without a slash and `**` for any run, and matches with and without a slash at the end; a regular expression is of RE2 syntax.',
    }),
  scroll_threshold: integer(0, 100)
    .nullish()
    .meta({ description: 'Percent to be scrolled: required for `scroll` goals, and only for them.' }),
  display_name: text(255)
    .nullish()
    .meta({ description: 'Unique on the site; made of type and value when left out.' }),
  currency: z.string().nullish().meta({
    description: "The site's reporting currency, for an `event` goal that counts reported revenue.",
  }),
  custom_props: CustomProps.optional().meta({
    maxProperties: MAX_PROPS,
    propertyNames: { minLength: 1, maxLength: 300 },
    description: 'Properties that the event must have; only for `event` goals.',
  }),
})

/** Whole definition of a goal, to create or replace it. Omitted and null fields get their defaults. */
export const GoalBody = GoalFields.superRefine((body, context) => {
  for (const [field, message] of goalConflicts(body)) {
    context.addIssue({ code: 'custom', path: [field], message })
  }
}).meta({
  id: 'GoalDefinition',
  example: {
    match_type: 'event',
    match_value: 'purchase',
    display_name: 'Purchase of the team plan',
    custom_props: { plan: 'team' },
  },
})
export type GoalBody = z.infer<typeof GoalBody>

/** Text with only spaces counts as absent. */
export const isBlank = (value: string | null | undefined) => !value?.trim()

/** Yields the fields that conflict with the goal's type or operator, each with a message. */
export function* goalConflicts(goal: z.infer<typeof GoalFields>): Generator<[keyof GoalBody, string]> {
  const { match_type: type, match_value: value } = goal
  if (['page', 'scroll', 'event'].includes(type) && isBlank(value)) yield ['match_value', 'is required']
  if (type === 'scroll' && goal.scroll_threshold == null) yield ['scroll_threshold', 'is required']
  if (type !== 'scroll' && goal.scroll_threshold != null)
    yield ['scroll_threshold', 'is only for scroll goals']
  if (type !== 'event' && goal.currency != null) yield ['currency', 'is only for event goals']
  if (type !== 'event' && Object.keys(goal.custom_props ?? {}).length > 0) {
    yield ['custom_props', 'are only for event goals']
  }
  if (
    (type === 'page' || type === 'scroll') &&
    value &&
    comparesPath(goal.match_operator) &&
    /[?#]/.test(value)
  ) {
    yield ['match_value', 'must be a path without ? and #: the path of a page has no query and no fragment']
  }
  const refusal = goal.match_operator === 'matches_regex' && value ? refusalOfText(value) : undefined
  if (refusal !== undefined) yield ['match_value', refusal]
}

/** Operators with which a value that no path contains would never convert. */
const comparesPath = (operator: ValueOperator | null | undefined): boolean =>
  ![...NEGATIVE_OPERATORS, 'matches_regex'].includes(operator ?? 'matches_pattern')

const NEGATIVE_OPERATORS: ValueOperator[] = ['is_not', 'does_not_contain']

export const GoalBatch = z.object({
  event_names: z
    .array(text(255))
    .min(1)
    .max(10_000)
    .meta({ description: 'One goal for each name.', example: ['signup', 'purchase'] }),
})
export type GoalBatch = z.infer<typeof GoalBatch>
