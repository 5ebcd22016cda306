import { z } from 'zod'
import { createGoalsBatch, deleteGoal, saveGoal } from '../stats/goals/change-goal.ts'
import { findGoal, pageOfGoals } from '../stats/goals/find-goal.ts'
import {
  Goal,
  GoalBatch,
  GoalBody,
  GoalKey,
  GoalList,
  GoalPage,
  ListGoals,
} from '../stats/goals/goal-schema.ts'
import { listVisibleGoals } from '../stats/sharing/money-goals.ts'
import { changingSiteProcedure, router } from './procedures.ts'
import { sharedSiteProcedure } from './shared-site.ts'

/** Base for procedures that change one goal of the site; adds `ctx.goal`. */
const goalProcedure = changingSiteProcedure
  .meta({ not_found: 'No such site, or no such goal of it' })
  .input(GoalKey)
  .use(async ({ ctx, input, next }) => {
    const goal = await findGoal(ctx.db, ctx.site.siteNo, input.goal)
    return next({ ctx: { goal } })
  })

const GOAL_RULES =
  'Something is not as it must be: a field that the type needs or does not have, a reserved name, a display name that is ' +
  'taken, the same goal again, or more than 1,000 goals'

export const goalsRouter = router({
  list: sharedSiteProcedure
    .meta({
      section: 'goals',
      path: '/api/sites/:siteKey/goals',
      summary: 'List goals',
      description: 'By display name, in any case.',
      answer: 'A page of goals.',
    })
    .input(ListGoals)
    .output(GoalPage)
    .query(async ({ ctx, input }) => pageOfGoals(ctx, await listVisibleGoals(ctx, ctx.site), input)),
  create: changingSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/goals',
      ok: 201,
      summary: 'Create a goal',
      answer: 'The new goal.',
      validation_failed: GOAL_RULES,
    })
    .input(GoalBody)
    .output(Goal)
    .mutation(({ ctx, input }) => saveGoal(ctx, ctx.site, input)),
  // Stands before the procedures on `/goals/:goal`, which would match its path otherwise. No goal has the key `batch`.
  createBatch: changingSiteProcedure
    .meta({
      method: 'post',
      path: '/api/sites/:siteKey/goals/batch',
      summary: 'Create event goals by their names',
      description: 'A name that is a goal already, or cannot be one, is passed over.',
      answer: 'Every goal of the site, the newest first: a bare array.',
    })
    .input(GoalBatch)
    .output(GoalList)
    .mutation(({ ctx, input }) => createGoalsBatch(ctx, ctx.site, input)),
  update: goalProcedure
    .meta({
      method: 'patch',
      path: '/api/sites/:siteKey/goals/:goal',
      summary: 'Replace a goal',
      description:
        'The whole definition: what is left out is reset. Numbers are computed by the new definition, of the past too.',
      answer: 'The goal.',
      validation_failed: GOAL_RULES,
    })
    .input(GoalBody)
    .output(Goal)
    .mutation(({ ctx, input }) => saveGoal(ctx, ctx.site, input, ctx.goal.id)),
  delete: goalProcedure
    .meta({
      method: 'delete',
      path: '/api/sites/:siteKey/goals/:goal',
      summary: 'Delete a goal',
      description: 'Irreversible. Funnels are not affected: they keep its definition.',
    })
    .output(z.void())
    .mutation(({ ctx }) => deleteGoal(ctx, ctx.site, ctx.goal)),
})
