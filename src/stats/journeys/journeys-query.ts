import { z } from 'zod'
import { count, label } from '../../platform/schema/fields.ts'
import { rangedParameter } from '../../platform/schema/pagination.ts'
import { requiredText } from '../../platform/schema/validation.ts'
import { StatsQuery } from '../filters/stats-query.ts'

const MOST_STEPS = 8
const MOST_BRANCHES = 20
const BY = ['path', 'title', 'event_name'] as const

export const JourneysQuery = StatsQuery.safeExtend({
  by: z
    .enum(BY, { error: `must be one of ${BY.join(', ')}` })
    .prefault('path')
    .meta({ description: 'What is followed: paths or titles of pageviews, or names of events.' }),
  starting_at: requiredText(2_048, 'must be one value, without operators')
    .optional()
    .meta({ description: 'Follow sessions from this value on; this or `ending_at`.', example: '/' }),
  ending_at: requiredText(2_048, 'must be one value, without operators')
    .optional()
    .meta({ description: 'Follow sessions back from this value.', example: '/pricing' }),
  steps: rangedParameter(1, MOST_STEPS).prefault(3).meta({ description: 'Most steps after the value.' }),
  branches: rangedParameter(1, MOST_BRANCHES)
    .prefault(5)
    .meta({ description: 'Most values of a step; the others are one node.' }),
}).superRefine(({ starting_at: start, ending_at: end }, context) => {
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message })
  if (start === undefined && end === undefined) refuse('starting_at', 'is required, or ending_at')
  if (start !== undefined && end !== undefined) refuse('ending_at', 'must not be given with starting_at')
})
export type JourneysQuery = z.infer<typeof JourneysQuery>

/** @see docs/metrics.md "Journeys" */
export const Journeys = z
  .object({
    by: z.enum(BY).meta({ description: 'What is followed.' }),
    direction: z
      .enum(['from', 'to'])
      .meta({ description: 'Whether steps follow the value, or come before it.' }),
    value: label('The chosen value.', '/'),
    steps: z
      .array(
        z
          .object({
            step: count('From 0, the chosen value.', 1),
            sessions: count('Sessions that have a value at this step.', 80),
            nodes: z
              .array(
                z
                  .object({
                    kind: z.enum(['value', 'other', 'end']).meta({
                      description:
                        'A value, all further values together, or sessions that have no further value.',
                    }),
                    value: label('Null unless it is a value.', '/pricing').nullable(),
                    sessions: count('Sessions.', 40),
                  })
                  .meta({ id: 'JourneyNode' }),
              )
              .meta({ description: 'Values, most sessions first; then the others, and those that end.' }),
            links: z
              .array(
                z
                  .object({
                    from: count('Index of the node of the step before.', 0),
                    to: count('Index of the node of this step.', 1),
                    sessions: count('Sessions that are in both.', 25),
                  })
                  .meta({ id: 'JourneyLink' }),
              )
              .meta({ description: 'From the nodes of the step before to those of this one.' }),
          })
          .meta({ id: 'JourneyStep' }),
      )
      .meta({ description: 'As far as a session goes; empty when no session has the value.' }),
  })
  .meta({ id: 'Journeys' })
export type Journeys = z.infer<typeof Journeys>
