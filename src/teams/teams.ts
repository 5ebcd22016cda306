import type { Queryable } from '../db/connect.ts'
import { query } from '../db/query.ts'
import { trialEnd } from './plans.ts'
import type { Plan } from './schema.ts'

const insertTeam = query<{ name: string; plan: Plan; trialEndsAt: Date | null }, { id: string }>(
  'create-team',
  'insert into teams (name, plan, trial_ends_at) values (:name, :plan, :trialEndsAt) returning id',
)

/** @returns id of the new team; names need not be unique */
export async function createTeam(
  db: Queryable,
  options: { name: string; plan: Plan; trialEndsAt?: Date | undefined },
  now: Date,
): Promise<string> {
  const { name, plan } = options
  const [row] = await insertTeam(db, { name, plan, trialEndsAt: trialEnd(options, now) })
  return row!.id
}
