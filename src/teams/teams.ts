import { type Queryable, statement } from '../infra/db.ts'
import { trialEnd } from './plans.ts'
import type { Plan } from './schema.ts'

const insertTeam = statement<{ id: string }>('create-team')

/** @returns id of the new team; names need not be unique */
export async function createTeam(
  db: Queryable,
  options: { name: string; plan: Plan; trialEndsAt?: Date | undefined },
  now: Date,
): Promise<string> {
  const [row] = await insertTeam(db, options.name, options.plan, trialEnd(options, now))
  return row!.id
}
