import { z } from 'zod'
import { label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { envelope, pageFields } from '../../platform/schema/pagination.ts'
import { integer, nameText, requiredName, text } from '../../platform/schema/validation.ts'
import { VALUE_OPERATORS } from '../../storage/patterns/value-match.ts'
import { CustomProps, GOAL_TYPES, type GoalBody, goalConflicts } from '../goals/goal-schema.ts'

/** Types of a step's own definition: those of goals, with `pageview` instead of `page`. */
const STEP_TYPES = ['pageview', ...GOAL_TYPES.filter(type => type !== 'page')] as const

export const MIN_STEPS = 2
export const MAX_STEPS = 8
/** Seconds: an hour and 30 days. */
const SHORTEST_WINDOW = 3_600
const LONGEST_WINDOW = 2_592_000

const StepFields = z.object({
  name: nameText(255).nullish().meta({
    description: 'Name to show; by default that of the goal, or one that is made of the definition.',
  }),
  goal: z.guid().nullish().meta({ description: 'Id of a goal of the site. Alone, or beside `name`.' }),
  type: z.enum(STEP_TYPES).nullish().meta({ description: 'What is to happen, for a step that is no goal.' }),
  operator: z.enum(VALUE_OPERATORS).nullish().meta({
    description:
      'How the value is compared; `is` for events and `matches_pattern` for the others when left out.',
  }),
  value: text(2048)
    .nullish()
    .meta({
      description:
        'Path of a `pageview` or `scroll`, name of an `event`, reserved ones such as `payment` too: required there. Selector of ' +
        'the others: without one anything of their kind counts.',
    }),
  scroll_threshold: integer(0, 100)
    .nullish()
    .meta({ description: 'Percent to be scrolled: required for `scroll`, and only there.' }),
  props: CustomProps.optional().meta({
    maxProperties: 3,
    propertyNames: { minLength: 1, maxLength: 300 },
    description: 'Properties that the event must have; only for `event`.',
  }),
})

export const FunnelStep = StepFields.superRefine((step, context) => {
  for (const [field, message] of conflictsIn(step)) {
    context.addIssue({ code: 'custom', path: [field], message })
  }
}).meta({ id: 'FunnelStep', example: { type: 'pageview', value: '/pricing' } })
export type FunnelStep = z.infer<typeof FunnelStep>

const FIELD_OF: Record<string, keyof FunnelStep> = { match_value: 'value', custom_props: 'props' }

function* conflictsIn(step: z.infer<typeof StepFields>): Generator<[keyof FunnelStep, string]> {
  const { goal, type } = step
  if (goal && type) yield ['type', 'is only for steps without a goal']
  if (!goal && !type) yield ['type', 'is required, or a goal']
  if (goal) {
    for (const field of ['operator', 'value', 'scroll_threshold'] as const) {
      if (step[field] != null) yield [field, 'is only for steps without a goal']
    }
    if (Object.keys(step.props ?? {}).length > 0) yield ['props', 'are only for steps without a goal']
    return
  }
  if (!type) return
  for (const [field, message] of goalConflicts(goalBodyOf(step))) {
    yield [FIELD_OF[field] ?? (field as keyof FunnelStep), message.replace('goals', 'steps')]
  }
}

/** Returns the definition of a step without a goal as that of a goal. */
export function goalBodyOf({ name, type, operator, value, scroll_threshold, props }: FunnelStep): GoalBody {
  return {
    match_type: type === 'pageview' ? 'page' : type!,
    match_operator: operator,
    match_value: value,
    scroll_threshold,
    custom_props: props,
    display_name: name,
  }
}

/** What is said of wrong `steps`. */
const stepsMessage = `must be a list of ${MIN_STEPS} to ${MAX_STEPS} steps`

export const FunnelSteps = z
  .array(FunnelStep, { error: issue => (issue.code === 'invalid_type' ? stepsMessage : undefined) })
  // Not with `min` and `max`: those compare the length of a text, too.
  .refine(({ length }) => length >= MIN_STEPS && length <= MAX_STEPS, { error: stepsMessage })
  .meta({ minItems: MIN_STEPS, maxItems: MAX_STEPS })

/** Seconds, or `session`. */
const windowMessage = `must be session, or seconds from ${SHORTEST_WINDOW} (an hour) to ${LONGEST_WINDOW} (30 days)`
export const FunnelWindow = z.union(
  [z.literal('session'), integer(SHORTEST_WINDOW, LONGEST_WINDOW, windowMessage)],
  { error: windowMessage },
)
export type FunnelWindow = z.infer<typeof FunnelWindow>

const texts = {
  order: '`loose`: other hits may lie between two steps; `strict`: no other pageview or event.',
  window:
    'Time from the first step in which the others must follow: seconds, or `session`: within one session.',
  by: 'What is counted.',
}

export const ruleFields = {
  order: z.enum(['loose', 'strict']).prefault('loose').meta({ description: texts.order }),
  window: FunnelWindow.prefault('session').meta({ description: texts.window }),
  by: z.enum(['visitor', 'session']).prefault('visitor').meta({ description: texts.by }),
}

/** What a funnel looks for. */
export interface FunnelRules {
  steps: FunnelStep[]
  order: 'loose' | 'strict'
  window: FunnelWindow
  by: 'visitor' | 'session'
}

/** Whole definition of a funnel, to create or replace it. */
export const FunnelBody = z
  .object({
    name: requiredName(120).meta({ description: 'Unique on the site.' }),
    steps: FunnelSteps.meta({ description: 'In their order.' }),
    ...ruleFields,
  })
  .meta({
    id: 'FunnelDefinition',
    example: {
      name: 'From pricing to signup',
      steps: [
        { type: 'pageview', value: '/pricing' },
        { type: 'event', value: 'signup' },
      ],
      order: 'loose',
      window: 86_400,
      by: 'visitor',
    },
  })
export type FunnelBody = z.infer<typeof FunnelBody>

/** A funnel as it is stored in the database. */
export interface FunnelRecord extends FunnelRules {
  id: string
  name: string
  createdAt: Date
  updatedAt: Date
}

const PresentedStep = z
  .object({
    name: label('Name to show.', 'Visit /pricing'),
    goal: uuid('Id of the goal; null for a step with a definition of its own.').nullable(),
    type: z.enum(STEP_TYPES).nullable().meta({ description: 'What is to happen; null for a goal.' }),
    operator: z.enum(VALUE_OPERATORS).nullable().meta({ description: 'How the value is compared.' }),
    value: label('Path, event name or selector.', '/pricing').nullable(),
    scroll_threshold: z.int().nullable().meta({ description: 'Percent to be scrolled.' }),
    props: z
      .record(z.string(), z.string())
      .meta({ description: 'Properties that the event must have.' })
      .nullable(),
  })
  .meta({ id: 'SavedFunnelStep' })
export type PresentedStep = z.infer<typeof PresentedStep>

/** @see docs/metrics.md "Funnels" */
export const Funnel = z
  .object({
    id: uuid('Funnel id.'),
    name: label('Name to show.', 'From pricing to signup'),
    steps: z.array(PresentedStep).meta({ description: 'The steps, in their order.' }),
    order: z.enum(['loose', 'strict']).meta({ description: texts.order }),
    window: FunnelWindow.meta({ description: texts.window }),
    by: z.enum(['visitor', 'session']).meta({ description: texts.by }),
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
  })
  .meta({ id: 'Funnel' })
export type Funnel = z.infer<typeof Funnel>
export const FunnelPage = envelope(Funnel)

export const FunnelKey = z.object({ funnel: uuid('Funnel id.') })

export const ListFunnels = z.object(pageFields(25))
export type ListFunnels = z.infer<typeof ListFunnels>
