import type { Config } from '../../platform/config/config.ts'
import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Db, Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import { requireRenewal } from '../accounts/sessions.ts'
import type { Caller, Plan, Role } from './caller.ts'
import { createToken } from './create-token.ts'
import { FIRST_OWNER, setupUrl } from './set-up-login.ts'
import { requireSiteLimit } from './site-limits.ts'

const TRIAL_DAYS = 14

const updatePlan = query<{ teamId: string; plan: Plan; trialEndsAt: Date | null }, { id: string }>(
  'set-plan',
  'update teams set plan = :plan, trial_ends_at = :trialEndsAt where id = :teamId and deleted_at is null returning id',
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
  const [row] = await updatePlan(db, { ...options, trialEndsAt: trialEnd(options, now) })
  if (!row) throw new AppError('not_found', 'No such team')
}

/**
 * Returns when the trial ends: at the given time, else 14 days from now; null for plans other than `trial`.
 * @throws AppError `validation_failed` when an end is given for a plan other than `trial`
 */
function trialEnd(options: { plan: Plan; trialEndsAt?: Date | undefined }, now: Date): Date | null {
  if (options.plan !== 'trial') {
    if (options.trialEndsAt) throw invalidField('trial_ends_at', 'Only the plan trial has an end')
    return null
  }
  return options.trialEndsAt ?? new Date(now.getTime() + TRIAL_DAYS * DAY_MS)
}

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
  const [row] = await insertTeam(db, { ...options, trialEndsAt: trialEnd(options, now) })
  return row!.id
}

/** Returns no row when the team does not exist. */
const upsertUser = query<
  { teamId: string; email: string; role: Role; siteIds: string[] | null },
  { id: string; loginId: string | null }
>(
  'create-user',
  `insert into users (team_id, email, role, site_ids)
  select id, :email, :role, :siteIds from teams where id = :teamId and deleted_at is null
  on conflict (team_id, email) do update set role = excluded.role, site_ids = excluded.site_ids
  returning id, login_id as "loginId"`,
)

/**
 * Adds a user to a team. If the team already has the e-mail address (ignoring case), only the role and the sites change.
 * @param options.siteIds sites that the user is limited to; absent or null for every site of the team
 * @returns the user's id
 * @throws AppError `not_found` when the team or one of the sites does not exist; `validation_failed` for an owner or admin with sites
 */
export async function createUser(
  db: Queryable,
  options: { teamId: string; email: string; role: Role; siteIds?: string[] | null },
): Promise<string> {
  const { teamId, email, role } = options
  const siteIds = await requireSiteLimit(db, { teamId, role, siteIds: options.siteIds ?? null })
  const [user] = await upsertUser(db, { teamId, email: email.toLowerCase(), role, siteIds })
  if (!user) throw new AppError('not_found', 'No such team')
  if (user.loginId) await requireRenewal(db, { loginId: user.loginId })
  return user.id
}

const TEAM = 'Default'

const lockBootstrap = query<{ lock: number }>('lock-bootstrap', 'select pg_advisory_xact_lock(:lock::bigint)')
/** The oldest team with the name. */
export const findTeamNamed = query<{ name: string }, { id: string }>(
  'find-team-named',
  'select id from teams where name = :name and deleted_at is null order by created_at, id limit 1',
)

/** The team that an earlier run has made, whatever its name is by now. */
const findDefaultTeam = query<void, { id: string }>(
  'find-default-team',
  'select id from teams where is_default and deleted_at is null',
)

const setDefaultTeam = query<{ teamId: string }>(
  'set-default-team',
  'update teams set is_default = true where id = :teamId',
)

/** The owner who has been in the team for the longest time. */
const findOldestOwner = query<{ teamId: string }, { id: string; email: string; hasLogin: boolean }>(
  'find-oldest-owner',
  `select id, email, login_id is not null as "hasLogin"
  from users
  where team_id = :teamId and role = 'owner'
  order by created_at, id
  limit 1`,
)

/**
 * Ensures that the service has a first team, at first called "Default", with a paid plan and an owner. The run that creates the team also creates
 * the owner's token. Concurrent runs wait for each other.
 * @returns `created` says whether this run created the team; `token` is null in all other runs. `setup_url` is a new link with which the
 * owner sets up their login; null when they have one
 */
export async function bootstrap(db: Db, config: Pick<Config, 'baseUrl'>, now: Date) {
  return db.begin(async transaction => {
    await lockBootstrap(transaction, { lock: ADVISORY_LOCKS.bootstrap })
    const [existing] = await findDefaultTeam(transaction)
    const teamId = existing?.id ?? (await createTeam(transaction, { name: TEAM, plan: 'active' }, now))
    if (!existing) await setDefaultTeam(transaction, { teamId })
    const owner = await ownerOf(transaction, teamId)
    const setup_url = owner.hasLogin ? null : await setupUrl(transaction, config, owner.email, now)
    const made = { team_id: teamId, user_id: owner.id, setup_url }
    if (existing) return { ...made, token: null, created: false }
    const options = { teamId, userId: owner.id, name: 'bootstrap', siteIds: null, expiresAt: null }
    const { token } = await createToken(transaction, options, now)
    return { ...made, token, created: true }
  })
}

/**
 * Returns the owner who has been in a team for the longest time.
 * @param teamId the first team when left out
 * @returns undefined when there is no such team, or when it has no owner
 */
export async function findOwner(db: Queryable, teamId?: string) {
  const id = teamId ?? (await findDefaultTeam(db))[0]?.id
  if (id === undefined) return undefined
  const [owner] = await findOldestOwner(db, { teamId: id })
  return owner && { teamId: id, userId: owner.id, hasLogin: owner.hasLogin }
}

async function ownerOf(db: Queryable, teamId: string) {
  const [owner] = await findOldestOwner(db, { teamId })
  if (owner) return owner
  const id = await createUser(db, { teamId, email: FIRST_OWNER, role: 'owner' })
  return { id, email: FIRST_OWNER, hasLogin: false }
}
