import { validate as isUuid } from 'uuid'
import type { Audit } from '../../access/audit/audit.ts'
import { lockSite } from '../../access/sites/lock-site.ts'
import type { SiteRecord } from '../../access/sites/site-schema.ts'
import type { Transaction } from '../../platform/db/connect.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import { type PageUrl, paginate, windowOf } from '../../platform/schema/pagination.ts'
import type { Services } from '../../platform/services.ts'
import { resolveRange } from '../../platform/time/range.ts'
import type { Grant } from '../sharing/grant.ts'
import {
  type AnnotationFields,
  type AnnotationRow,
  countAnnotations,
  countTouching,
  deleteAnnotation,
  insertAnnotation,
  lockAnnotation,
  selectAnnotations,
  updateAnnotation,
} from './annotation-rows.ts'
import {
  type Annotation,
  ChangeAnnotation,
  type CreateAnnotation,
  checkTimes,
  columnsOf,
  type ListAnnotations,
} from './annotation-schema.ts'

/** Most annotations of a site. */
export const MOST_ANNOTATIONS = 10_000

type Parts = Pick<Services, 'db' | 'now'> & { audit: Audit }
type Site = Pick<SiteRecord, 'siteNo' | 'domain'>

/** Returns a page of the annotations that touch the range, the newest first. */
export async function listAnnotations(
  context: Pick<Services, 'db' | 'now'> & { grant: Grant | null; pageUrl: PageUrl },
  { siteNo, timezone: zone, firstEventAt }: Pick<SiteRecord, 'siteNo' | 'timezone' | 'firstEventAt'>,
  input: ListAnnotations,
) {
  const isAll = input.range === 'all' && input.from === undefined
  const { from, to, start, end } = isAll
    ? NO_RANGE
    : resolveRange(input, { zone, now: context.now(), firstEventAt })
  const ofRange = { siteNo, from, to, start, end }
  const [rows, [total]] = await Promise.all([
    selectAnnotations(context.db, { ...ofRange, zone, ...windowOf(input) }),
    countTouching(context.db, ofRange),
  ])
  const shown = rows.map(row => ({ ...present(row), ...(context.grant && { author: null }) }))
  return paginate(context, input, { rows: shown, total: total!.count })
}

const NO_RANGE = { from: null, to: null, start: null, end: null }

/** @throws AppError `forbidden` when the site has the most annotations; `not_found` when it was deleted meanwhile */
export async function createAnnotation(
  { db, audit, now }: Parts,
  { userId }: { userId: string },
  site: Site,
  { text, starts_at, ends_at }: CreateAnnotation,
): Promise<Annotation> {
  const row = await db.begin(async transaction => {
    await lockSite(transaction, site)
    const [present] = await countAnnotations(transaction, { siteNo: site.siteNo })
    if (present!.count >= MOST_ANNOTATIONS) {
      throw new AppError('forbidden', `The site has ${MOST_ANNOTATIONS} annotations, as many as it may`)
    }
    const [made] = await insertAnnotation(transaction, {
      ...fieldsOf(text, starts_at, ends_at),
      siteNo: site.siteNo,
      createdBy: userId,
      now: now(),
    })
    await record(audit, transaction, site, 'annotation.create', made!)
    return made!
  })
  return present(row)
}

/** @throws AppError `not_found`; `validation_failed` when the end does not fit the start that stays, or the other way round */
export async function changeAnnotation(
  { db, audit, now }: Parts,
  site: Site,
  id: string,
  changes: ChangeAnnotation,
): Promise<Annotation> {
  const row = await db.begin(async transaction => {
    const before = present(await lock(transaction, site, id))
    const { text, starts_at, ends_at } = { ...before, ...given(changes) }
    checkTimes({ starts_at, ends_at }, message => {
      throw invalidField('ends_at', message)
    })
    const [changed] = await updateAnnotation(transaction, {
      ...fieldsOf(text, starts_at, ends_at),
      id,
      now: now(),
    })
    const names = ChangeAnnotation.keyof().options.filter(name => changes[name] !== undefined)
    await record(audit, transaction, site, 'annotation.change', changed!, { changed: names })
    return changed!
  })
  return present(row)
}

/** @throws AppError `not_found` */
export async function removeAnnotation({ db, audit }: Parts, site: Site, id: string): Promise<void> {
  await db.begin(async transaction => {
    const gone = await lock(transaction, site, id)
    await deleteAnnotation(transaction, { id })
    await record(audit, transaction, site, 'annotation.delete', gone)
  })
}

const given = (changes: ChangeAnnotation): Partial<Annotation> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

async function lock(transaction: Transaction, { siteNo }: Site, id: string): Promise<AnnotationRow> {
  const [row] = isUuid(id) ? await lockAnnotation(transaction, { siteNo, id }) : []
  if (!row) throw new AppError('not_found', 'No such annotation')
  return row
}

function fieldsOf(text: string, start: string, end: string | null | undefined): AnnotationFields {
  const [{ day: startsOn, at: startsAt }, { day: endsOn, at: endsAt }] = [columnsOf(start), columnsOf(end)]
  return { text, startsOn, endsOn, startsAt, endsAt }
}

/** The log has the beginning of the text: enough to know it again. */
async function record(
  audit: Audit,
  transaction: Transaction,
  { domain }: Site,
  action: 'annotation.create' | 'annotation.change' | 'annotation.delete',
  row: AnnotationRow,
  details: { changed?: string[] } = {},
): Promise<void> {
  const { id, text, starts_at, ends_at } = present(row)
  await audit(transaction, {
    action,
    object: { type: 'annotation', id },
    details: { text: [...text].slice(0, 100).join(''), starts_at, ends_at, domain, ...details },
  })
}

function present(row: AnnotationRow): Annotation {
  return {
    id: row.id,
    text: row.text,
    starts_at: row.startsOn ?? row.startsAt!.toISOString(),
    ends_at: row.endsOn ?? row.endsAt?.toISOString() ?? null,
    author: row.author,
    created_at: row.createdAt.toISOString(),
    changed_at: row.changedAt.toISOString(),
  }
}
