import type { Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { AppError, invalidField } from '../errors.ts'
import { DAY_MS } from '../lib/time.ts'
import type { Caller, Plan } from './schema.ts'

const TRIAL_DAYS = 14

const updatePlan = query<{ teamId: string; plan: Plan; trialEndsAt: Date | null }, { id: string }>(
  'set-plan',
  'update teams set plan = :plan, trial_ends_at = :trialEndsAt where id = :teamId returning id',
)

/** Returns whether the team may create sites and record payments now: it has a paid plan or a running trial. */
export function hasActivePlan(caller: Pick<Caller, 'plan' | 'trialEndsAt'>, now: Date): boolean {
  if (caller.plan === 'active') return true
  return caller.plan === 'trial' && caller.trialEndsAt !== null && caller.trialEndsAt > now
}

/** @throws AppError `not_found` when the team does not exist */
export async function setPlan(
  db: Queryable,
  options: { teamId: string; plan: Plan; trialEndsAt?: Date | undefined },
  now: Date,
): Promise<void> {
  const { teamId, plan } = options
  const [row] = await updatePlan(db, { teamId, plan, trialEndsAt: trialEnd(options, now) })
  if (!row) throw new AppError('not_found', 'No such team')
}

/**
 * Returns when the trial ends: at the given time, else 14 days from now; null for plans other than `trial`.
 * @throws AppError `validation_failed` when an end is given for a plan other than `trial`
 */
export function trialEnd(options: { plan: Plan; trialEndsAt?: Date | undefined }, now: Date): Date | null {
  if (options.plan !== 'trial') {
    if (options.trialEndsAt) throw invalidField('trial_ends_at', 'Only the plan trial has an end')
    return null
  }
  return options.trialEndsAt ?? new Date(now.getTime() + TRIAL_DAYS * DAY_MS)
}
