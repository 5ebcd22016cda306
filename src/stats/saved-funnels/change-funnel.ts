import type { Audit } from '../../access/audit/audit.ts'
import { isUuid } from '../../access/sites/domain.ts'
import type { SiteRecord } from '../../access/sites/site-schema.ts'
import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { checkExpression, lockGoals } from '../goals/goal-rules.ts'
import { isBlank } from '../goals/goal-schema.ts'
import { FUNNEL_COLUMNS, type FunnelRow, noSuchFunnel, presentFunnel, recordOf } from './find-funnel.ts'
import type { Funnel, FunnelBody, FunnelStep } from './funnel-schema.ts'
import { goalsOfSteps, stepsForSite } from './steps.ts'

/** Most funnels of a site. */
const MAX_FUNNELS = 100

interface FunnelParams {
  siteNo: number
  name: string
  /** JSON. */
  steps: string
  order: string
  windowSeconds: number | null
  by: string
}

const insertFunnel = query<FunnelParams, FunnelRow>(
  'insert-funnel',
  `insert into funnels (site_no, name, steps, step_order, window_seconds, counted)
  values (:siteNo, :name, :steps::text::jsonb, :order, :windowSeconds, :by)
  returning ${FUNNEL_COLUMNS}`,
)

const replaceFunnel = query<FunnelParams & { id: string; now: Date }, FunnelRow>(
  'replace-funnel',
  `update funnels
  set
    name = :name,
    steps = :steps::text::jsonb,
    step_order = :order,
    window_seconds = :windowSeconds,
    counted = :by,
    updated_at = :now
  where site_no = :siteNo and id = :id
  returning ${FUNNEL_COLUMNS}`,
)

const removeFunnel = query<{ siteNo: number; id: string }, { name: string }>(
  'remove-funnel',
  'delete from funnels where site_no = :siteNo and id = :id returning name',
)

/** How many other funnels a site has, and whether one has the name. Always one row. */
const findFunnelConflicts = query<
  { siteNo: number; id: string | null; name: string },
  { count: number; isNameTaken: boolean }
>(
  'find-funnel-conflicts',
  `select count(*)::int as count, coalesce(bool_or(name = :name::text), false) as "isNameTaken"
  from funnels
  where site_no = :siteNo and id is distinct from :id::uuid`,
)

type ChangeServices = Pick<Services, 'db' | 'patterns' | 'now'> & {
  audit: Audit
  signal?: AbortSignal | undefined
}
type ChangedSite = Pick<SiteRecord, 'siteNo' | 'teamId' | 'domain'>

/**
 * Creates a funnel, or replaces the whole definition of the one with the given id.
 * @throws AppError `validation_failed` for a name that is taken, a goal that the site does not have, an invalid expression, or too many
 * funnels; `not_found` when the funnel or its site was deleted meanwhile
 */
export async function saveFunnel(
  services: ChangeServices,
  site: ChangedSite,
  given: FunnelBody,
  id?: string,
): Promise<Funnel> {
  const { db, audit, now } = services
  if (id !== undefined && !isUuid(id)) throw noSuchFunnel()
  const body = { ...given, steps: stepsForSite(given.steps, site) }
  const own = body.steps.filter(({ goal }) => !goal)
  for (const [index, goal] of (await goalsOfSteps(db, site.siteNo, own)).entries()) {
    await checkExpression(services, site, goal).catch(error => {
      throw isInvalid(error)
        ? invalidField(`steps.${body.steps.indexOf(own[index]!)}.value`, error.fields!.match_value![0]!)
        : error
    })
  }
  return db.begin(async transaction => {
    // Also keeps goals from being deleted until the funnel is stored.
    await lockGoals(transaction, site.siteNo)
    await requireRoom(transaction, site, body.name, id ?? null)
    const goals = await goalsOfSteps(transaction, site.siteNo, body.steps)
    const params = {
      siteNo: site.siteNo,
      name: body.name,
      steps: JSON.stringify(body.steps.map(stored)),
      order: body.order,
      windowSeconds: body.window === 'session' ? null : body.window,
      by: body.by,
    }
    const [saved] =
      id === undefined
        ? await insertFunnel(transaction, params)
        : await replaceFunnel(transaction, { ...params, id, now: now() })
    if (!saved) throw noSuchFunnel()
    await audit(transaction, {
      action: id === undefined ? 'funnel.create' : 'funnel.change',
      object: { type: 'funnel', id: saved.id },
      details: { name: saved.name, domain: site.domain },
    })
    return presentFunnel({ funnel: recordOf(saved), goals })
  })
}

/** Returns a step without fields that say nothing, and with the id of its goal as the database writes it. */
const stored = ({ name, goal, ...step }: FunnelStep) =>
  Object.fromEntries(
    Object.entries({ ...step, name: isBlank(name) ? null : name, goal: goal?.toLowerCase() }).filter(
      ([, value]) => value != null,
    ),
  )

const isInvalid = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'validation_failed'

async function requireRoom(
  transaction: Transaction,
  { siteNo }: ChangedSite,
  name: string,
  id: string | null,
): Promise<void> {
  const [found] = await findFunnelConflicts(transaction, { siteNo, id, name })
  if (found!.isNameTaken) throw invalidField('name', `The site already has a funnel with the name ${name}`)
  if (id === null && found!.count >= MAX_FUNNELS) {
    throw invalidField('body', `The site already has ${MAX_FUNNELS} funnels`)
  }
}

/**
 * Deletes a funnel.
 * @throws AppError `not_found`
 */
export async function deleteFunnel(
  { db, audit }: Pick<ChangeServices, 'db' | 'audit'>,
  { siteNo, domain }: ChangedSite,
  id: string,
): Promise<void> {
  await db.begin(async transaction => {
    const [gone] = isUuid(id) ? await removeFunnel(transaction, { siteNo, id }) : []
    if (!gone) throw noSuchFunnel()
    await audit(transaction, {
      action: 'funnel.delete',
      object: { type: 'funnel', id },
      details: { name: gone.name, domain },
    })
  })
}
