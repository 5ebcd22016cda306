import { validate as isUuid } from 'uuid'
import type { Audit } from '../../access/audit/audit.ts'
import { lockSite } from '../../access/sites/lock-site.ts'
import type { SiteRecord } from '../../access/sites/site-schema.ts'
import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { checkPatterns } from '../conditions/filter-object.ts'
import { findGoals } from '../goals/find-goal.ts'
import {
  countSegments,
  deleteSegment,
  findSegments,
  insertSegment,
  listVisibleSegments,
  lockSegment,
  type SegmentRow,
  updateSegment,
} from './segment-rows.ts'
import {
  ChangeSegment,
  type CreateSegment,
  partsOf,
  type Segment,
  type SegmentFilters,
} from './segment-schema.ts'

/** Most segments of a site, and most personal ones of one user there. */
export const MOST_SEGMENTS = 200

type Parts = Pick<Services, 'db' | 'patterns' | 'now'> & {
  audit: Audit
  signal?: AbortSignal | undefined
}
type Site = Pick<SiteRecord, 'siteNo' | 'teamId' | 'domain'>
type User = { userId: string }

/** Returns the segments of the site and the user's personal ones, by name. */
export async function listSegments(
  { db }: Pick<Services, 'db'>,
  { userId }: User,
  { siteNo }: Pick<Site, 'siteNo'>,
): Promise<Segment[]> {
  return (await listVisibleSegments(db, { siteNo, userId })).map(present)
}

/** @throws AppError `not_found`, also for a personal segment of another user */
export async function getSegment(
  { db }: Pick<Services, 'db'>,
  { userId }: User,
  { siteNo }: Pick<Site, 'siteNo'>,
  id: string,
): Promise<Segment> {
  const [row] = isUuid(id) ? await findSegments(db, { siteNo, userId, ids: [id] }) : []
  if (!row) throw noSuchSegment()
  return present(row)
}

/**
 * @throws AppError `validation_failed` for an invalid expression or an unknown goal; `forbidden` when there are too many segments;
 * `not_found` when the site was deleted meanwhile
 */
export async function createSegment(
  services: Parts,
  { userId }: User,
  site: Site,
  { name, filters, visibility }: CreateSegment,
): Promise<Segment> {
  const { db, audit, now } = services
  await checkFilters(services, site, filters)
  const owner = visibility === 'personal' ? userId : null
  const row = await db.begin(async transaction => {
    await lockSite(transaction, site)
    await requireRoom(transaction, site, owner, null)
    const [made] = await insertSegment(transaction, {
      siteNo: site.siteNo,
      name,
      filters: JSON.stringify(filters),
      userId: owner,
      createdBy: userId,
      now: now(),
    })
    await record(audit, transaction, site, 'segment.create', made!)
    return made!
  })
  return present(row)
}

/**
 * Changes a segment. One of the site that becomes personal belongs to the user who changes it.
 * @throws AppError as `createSegment`; `not_found` for an unknown segment
 */
export async function changeSegment(
  services: Parts,
  { userId }: User,
  site: Site,
  id: string,
  changes: ChangeSegment,
): Promise<Segment> {
  const { db, audit, now } = services
  if (changes.filters) await checkFilters(services, site, changes.filters)
  const row = await db.begin(async transaction => {
    await lockSite(transaction, site)
    const before = await lock(transaction, site, userId, id)
    const { visibility = before.userId === null ? 'site' : 'personal' } = changes
    const owner = visibility === 'personal' ? userId : null
    await requireRoom(transaction, site, owner, id)
    const [changed] = await updateSegment(transaction, {
      id,
      name: changes.name ?? before.name,
      filters: JSON.stringify(changes.filters ?? before.filters),
      userId: owner,
      now: now(),
    })
    const shown = before.userId === null ? before : changed!
    const names = ChangeSegment.keyof().options.filter(name => changes[name] !== undefined)
    await record(audit, transaction, site, 'segment.change', shown, { changed: names })
    return changed!
  })
  return present(row)
}

/** @throws AppError `not_found` */
export async function removeSegment(
  { db, audit }: Parts,
  { userId }: User,
  site: Site,
  id: string,
): Promise<void> {
  await db.begin(async transaction => {
    const gone = await lock(transaction, site, userId, id)
    await deleteSegment(transaction, { id })
    await record(audit, transaction, site, 'segment.delete', gone)
  })
}

async function lock(transaction: Transaction, { siteNo }: Site, userId: string, id: string) {
  const [row] = isUuid(id) ? await lockSegment(transaction, { siteNo, userId, id }) : []
  if (!row) throw noSuchSegment()
  return row
}

const noSuchSegment = () => new AppError('not_found', 'No such segment')

async function checkFilters(services: Parts, site: Site, filters: SegmentFilters): Promise<void> {
  const { dimensions, keys, values, goalIds } = partsOf(filters)
  const conditions = [...dimensions.map(({ condition }) => condition), ...keys, ...values]
  await checkPatterns(services, site.teamId, conditions)
  const [missing] = await missingGoals(services, site, goalIds)
  if (missing !== undefined) throw invalidField('filters.goal', 'must be the id of a goal of the site')
}

/** Returns the ids that no goal of the site has. */
export async function missingGoals(
  { db }: { db: Queryable },
  { siteNo }: Pick<Site, 'siteNo'>,
  ids: string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const found = new Set((await findGoals(db, siteNo, ids)).map(({ id }) => id))
  return ids.filter(id => !found.has(id.toLowerCase()))
}

/** @throws AppError `forbidden` */
async function requireRoom(
  transaction: Transaction,
  { siteNo }: Site,
  owner: string | null,
  exceptId: string | null,
): Promise<void> {
  const [others] = await countSegments(transaction, { siteNo, userId: owner, exceptId })
  if (others!.count < MOST_SEGMENTS) return
  const whose = owner === null ? 'The site has' : 'You have'
  throw new AppError(
    'forbidden',
    `${whose} ${MOST_SEGMENTS} segments, as many as may be: delete one that is not needed`,
  )
}

/** Personal segments concern their user alone: only the check of the caller's role happens. */
async function record(
  audit: Audit,
  transaction: Transaction,
  { domain }: Site,
  action: 'segment.create' | 'segment.change' | 'segment.delete',
  { id, name, filters, userId }: SegmentRow,
  details: { changed?: string[] } = {},
): Promise<void> {
  if (userId !== null) return
  await audit(transaction, {
    action,
    object: { type: 'segment', id },
    details: { name, domain, filters: Object.keys(filters), ...details },
  })
}

function present(row: SegmentRow): Segment {
  return {
    id: row.id,
    name: row.name,
    filters: row.filters as SegmentFilters,
    visibility: row.userId === null ? 'site' : 'personal',
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    changed_at: row.changedAt.toISOString(),
  }
}
