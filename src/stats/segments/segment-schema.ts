import { z } from 'zod'
import { label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { requiredName } from '../../platform/schema/validation.ts'
import { checkConditions, conditionsOf, MOST_VALUES } from '../conditions/conditions.ts'
import { filtersOf, StoredFilter, storedDimensionFields } from '../conditions/filter-object.ts'

const goalMessage = `must be the id of a goal of the site, or a list of at most ${MOST_VALUES}`
const GoalId = z.guid({ error: goalMessage })

/** Filters of a segment: those of a share, and goals and properties as in the query of a read. */
export const SegmentFilters = z
  .strictObject(
    {
      ...storedDimensionFields,
      prop_key: StoredFilter.optional().meta({ description: 'Hits that have such a property.' }),
      prop_value: StoredFilter.optional().meta({
        description: 'Value of that property; needs `prop_key`.',
      }),
      goal: z
        .union([GoalId, z.array(GoalId).min(1).max(MOST_VALUES)], { error: goalMessage })
        .optional()
        .meta({ description: 'Sessions that converted one of these goals.' }),
    },
    { error: 'must be an object of dimensions, prop_key, prop_value and goal with the values to filter by' },
  )
  .superRefine((filters, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
    if (filters.prop_value !== undefined && filters.prop_key === undefined) {
      refuse(['prop_key'], 'is required when prop_value is given')
    }
    if (isEmpty(filters)) refuse([], 'must have at least one filter')
    const { dimensions, keys, values } = partsOf(filters)
    checkConditions([...dimensions.map(({ condition }) => condition), ...keys, ...values], refuse)
  })
  .meta({
    id: 'SegmentFilters',
    description:
      'Filters by dimension, with the operators of query filters, and `prop_key`, `prop_value`, `goal`.',
    example: { country: ['DE', 'AT'], path: { starts_with: '/blog' } },
  })
export type SegmentFilters = z.infer<typeof SegmentFilters>

/** Returns the conditions of valid filters, with what they compare. */
export function partsOf({ prop_key, prop_value, goal, ...dimensions }: SegmentFilters) {
  return {
    dimensions: filtersOf(dimensions),
    keys: prop_key === undefined ? [] : conditionsOf('prop_key', prop_key),
    values: prop_value === undefined ? [] : conditionsOf('prop_value', prop_value),
    goalIds: goal === undefined ? [] : [goal].flat(),
  }
}

function isEmpty(filters: SegmentFilters): boolean {
  const { dimensions, keys, goalIds } = partsOf(filters)
  return dimensions.length + keys.length + goalIds.length === 0
}

const VISIBILITIES = ['personal', 'site'] as const
const Visibility = z.enum(VISIBILITIES).meta({
  description: 'Who sees and uses it: its owner alone, or everybody of the team who reads the site.',
})

/** @see docs/api.md "Segments" */
export const Segment = z
  .object({
    id: uuid('Segment id.'),
    name: label('Name to show.', 'Readers of the blog'),
    filters: SegmentFilters,
    visibility: Visibility,
    created_by: label(
      'E-mail address of who made it; null when they are gone.',
      'ada@example.com',
    ).nullable(),
    created_at: timestamp('When it was made.'),
    changed_at: timestamp('When it was changed last.'),
  })
  .meta({ id: 'Segment' })
export type Segment = z.infer<typeof Segment>
export const SegmentList = z.array(Segment)

const SegmentFields = z.object({
  name: requiredName(120).meta({ description: 'Name to show.', example: 'Readers of the blog' }),
  filters: SegmentFilters,
  visibility: Visibility,
})

export const CreateSegment = SegmentFields.extend({ visibility: Visibility.default('personal') })
export type CreateSegment = z.infer<typeof CreateSegment>

/** Fields that are left out stay as they are. */
export const ChangeSegment = SegmentFields.partial()
export type ChangeSegment = z.infer<typeof ChangeSegment>

export const SegmentKey = z.object({ segment: uuid('Segment id.') })
