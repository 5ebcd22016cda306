import { z } from 'zod'
import { createGoal } from '../goals/create-goal.ts'
import { createGoalsBatch } from '../goals/create-goals-batch.ts'
import { deleteGoal } from '../goals/delete-goal.ts'
import { findGoal } from '../goals/find-goal.ts'
import { listGoals } from '../goals/list-goals.ts'
import { Goal, GoalBatch, GoalBody, GoalKey, GoalList, GoalPage, ListGoals } from '../goals/schema.ts'
import { updateGoal } from '../goals/update-goal.ts'
import { router, siteProcedure } from './procedures.ts'

/** Base for procedures on one goal of the site; adds `ctx.goal`. */
const goalProcedure = siteProcedure.input(GoalKey).use(async ({ ctx, input, next }) => {
  const goal = await findGoal(ctx.db, ctx.site.siteNo, input.goal)
  return next({ ctx: { goal } })
})

export const goalsRouter = router({
  list: siteProcedure
    .input(ListGoals)
    .output(GoalPage)
    .query(({ ctx, input }) => listGoals(ctx, ctx.site, input)),
  create: siteProcedure
    .input(GoalBody)
    .output(Goal)
    .mutation(({ ctx, input }) => createGoal(ctx, ctx.site, input)),
  createBatch: siteProcedure
    .input(GoalBatch)
    .output(GoalList)
    .mutation(({ ctx, input }) => createGoalsBatch(ctx, ctx.site, input)),
  update: goalProcedure
    .input(GoalBody)
    .output(Goal)
    .mutation(({ ctx, input }) => updateGoal(ctx, ctx.site, ctx.goal, input)),
  delete: goalProcedure.output(z.void()).mutation(({ ctx }) => deleteGoal(ctx, ctx.site, ctx.goal)),
})
