import type { Db } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import type { OpenedFile } from '../open-archive.ts'
import { lineBlocks } from './line-blocks.ts'
import { NumberMap } from './number-map.ts'
import type { Rows } from './restore-rows.ts'

/** In the order of their numbers. How many sessions they have is counted as their hits are restored. */
const insertVisitors = query<Rows>(
  'restore-visitors',
  `insert into visitors (visitor_no, site_no, id, first_seen_at, imported_as)
  select nextval('visitor_numbers')::int, :siteNo::int, id, first_seen_at, imported_as
  from (
    select given.*
    from jsonb_populate_recordset(null::visitors, :rows::text::jsonb) as given
    where not exists (select from visitors where visitors.site_no = :siteNo::int and visitors.id = given.id)
    order by given.visitor_no
  ) as missing`,
)

const selectNumbers = query<Rows, { old: number; present: number }>(
  'select-restored-visitor-numbers',
  `select given.visitor_no as old, visitors.visitor_no as present
  from jsonb_to_recordset(:rows::text::jsonb) as given (visitor_no int, id uuid)
  join visitors on visitors.site_no = :siteNo::int and visitors.id = given.id
  order by old`,
)

/**
 * What their hits do not say: sessions that retention has dropped count, and an identity may wait for the next hit. A visitor who came while the
 * archive was written is left as the hits of the archive say.
 */
const settleVisitors = query<Rows & { exportedAt: string }>('settle-restored-visitors')

/** Restores the visitors of a site, before their hits: they get their numbers in the order of the archive. */
export async function beginVisitors(db: Db, siteNo: number, files: OpenedFile[]): Promise<void> {
  for await (const rows of lineBlocks(files)) await insertVisitors(db, { siteNo, rows })
}

/** Returns the numbers of restored visitors by those of the archive. */
export async function visitorNumbers(db: Db, siteNo: number, files: OpenedFile[]): Promise<NumberMap> {
  const numbers = new NumberMap()
  for await (const rows of lineBlocks(files)) {
    for (const { old, present } of await selectNumbers(db, { siteNo, rows })) numbers.add(old, present)
  }
  return numbers
}

/** Makes visitors what the archive says of them, after their hits. */
export async function finishVisitors(
  db: Db,
  site: { siteNo: number; exportedAt: string },
  files: OpenedFile[],
): Promise<void> {
  for await (const rows of lineBlocks(files)) await settleVisitors(db, { ...site, rows })
}
