import { query } from '../../platform/db/query.ts'

/** Database row of a segment. */
export interface SegmentRow {
  id: string
  name: string
  /** `SegmentFilters` as they were stored. */
  filters: object
  /** Whose personal segment it is; null for one of the site. */
  userId: string | null
  createdAt: Date
  changedAt: Date
  createdBy: string | null
}

interface OfReader {
  siteNo: number
  userId: string
}

const COLUMNS = `
  segments.id, segments.name, segments.filters, segments.user_id as "userId",
  segments.created_at as "createdAt", segments.changed_at as "changedAt",
  (
    select coalesce(logins.email, users.email)
    from users left join logins on logins.id = users.login_id
    where users.id = segments.created_by
  ) as "createdBy"`

/** Segments of the site, and personal ones of the user. */
const VISIBLE = 'site_no = :siteNo and (user_id is null or user_id = :userId)'

export const listVisibleSegments = query<OfReader, SegmentRow>(
  'list-segments',
  `select ${COLUMNS} from segments where ${VISIBLE} order by lower(name), id`,
)

export const findSegments = query<OfReader & { ids: string[] }, SegmentRow>(
  'find-segments',
  `select ${COLUMNS} from segments where ${VISIBLE} and id = any(:ids::uuid[])`,
)

export const lockSegment = query<OfReader & { id: string }, SegmentRow>(
  'lock-segment',
  `select ${COLUMNS} from segments where ${VISIBLE} and id = :id for update of segments`,
)

/** Counts the segments of the site, or the personal ones of a user there. */
export const countSegments = query<
  { siteNo: number; userId: string | null; exceptId: string | null },
  { count: number }
>(
  'count-segments',
  `select count(*)::int as count
  from segments
  where
    site_no = :siteNo
    and user_id is not distinct from :userId::uuid
    and (:exceptId::uuid is null or id <> :exceptId)`,
)

export interface SegmentFields {
  name: string
  /** JSON as text. */
  filters: string
  userId: string | null
}

export const insertSegment = query<
  SegmentFields & { siteNo: number; createdBy: string; now: Date },
  SegmentRow
>(
  'insert-segment',
  `insert into segments (site_no, name, filters, user_id, created_by, created_at, changed_at)
  values (:siteNo, :name, (:filters::text)::jsonb, :userId, :createdBy, :now, :now)
  returning ${COLUMNS}`,
)

export const updateSegment = query<SegmentFields & { id: string; now: Date }, SegmentRow>(
  'update-segment',
  `update segments
  set name = :name, filters = (:filters::text)::jsonb, user_id = :userId, changed_at = :now
  where id = :id
  returning ${COLUMNS}`,
)

export const deleteSegment = query<{ id: string }>('delete-segment', 'delete from segments where id = :id')
