import { query } from '../../platform/db/query.ts'

/** Database row of an annotation; days are `Y-m-d`. */
export interface AnnotationRow {
  id: string
  text: string
  startsOn: string | null
  endsOn: string | null
  startsAt: Date | null
  endsAt: Date | null
  createdAt: Date
  changedAt: Date
  author: string | null
}

const COLUMNS = `
  annotations.id, annotations.text,
  to_char(starts_on, 'YYYY-MM-DD') as "startsOn", to_char(ends_on, 'YYYY-MM-DD') as "endsOn",
  starts_at as "startsAt", ends_at as "endsAt", created_at as "createdAt", changed_at as "changedAt",
  (
    select coalesce(logins.email, users.email)
    from users left join logins on logins.id = users.login_id
    where users.id = annotations.created_by
  ) as author`

interface OfRange {
  siteNo: number
  /** Null for every annotation. */
  from: string | null
  to: string | null
  start: Date | null
  end: Date | null
}

/** Days touch the days of the range, instants its time span. */
const TOUCHING = `
  site_no = :siteNo
  and (
    :from::date is null
    or (starts_on <= :to::date and coalesce(ends_on, starts_on) >= :from::date)
    or (starts_at < :end::timestamptz and coalesce(ends_at, starts_at) >= :start::timestamptz)
  )`

export const selectAnnotations = query<
  OfRange & { zone: string; limit: number; offset: number },
  AnnotationRow
>(
  'list-annotations',
  `select ${COLUMNS}
  from annotations
  where ${TOUCHING}
  order by coalesce(starts_at, starts_on::timestamp at time zone :zone::text) desc, id desc
  limit :limit::bigint
  offset :offset::bigint`,
)

export const countTouching = query<OfRange, { count: number }>(
  'count-annotations-of-range',
  `select count(*)::int as count from annotations where ${TOUCHING}`,
)

export const lockAnnotation = query<{ siteNo: number; id: string }, AnnotationRow>(
  'lock-annotation',
  `select ${COLUMNS} from annotations where site_no = :siteNo and id = :id for update of annotations`,
)

export const countAnnotations = query<{ siteNo: number }, { count: number }>(
  'count-annotations',
  'select count(*)::int as count from annotations where site_no = :siteNo',
)

export interface AnnotationFields {
  text: string
  startsOn: string | null
  endsOn: string | null
  startsAt: Date | null
  endsAt: Date | null
}

export const insertAnnotation = query<
  AnnotationFields & { siteNo: number; createdBy: string; now: Date },
  AnnotationRow
>(
  'insert-annotation',
  `insert into annotations (site_no, text, starts_on, ends_on, starts_at, ends_at, created_by, created_at, changed_at)
  values (:siteNo, :text, (:startsOn::text)::date, (:endsOn::text)::date, :startsAt, :endsAt, :createdBy, :now, :now)
  returning ${COLUMNS}`,
)

export const updateAnnotation = query<AnnotationFields & { id: string; now: Date }, AnnotationRow>(
  'update-annotation',
  `update annotations
  set
    text = :text, starts_on = (:startsOn::text)::date, ends_on = (:endsOn::text)::date, starts_at = :startsAt,
    ends_at = :endsAt, changed_at = :now
  where id = :id
  returning ${COLUMNS}`,
)

export const deleteAnnotation = query<{ id: string }>(
  'delete-annotation',
  'delete from annotations where id = :id',
)
