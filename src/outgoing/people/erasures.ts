import type { Audit } from '../../access/audit/audit.ts'
import { isUuid } from '../../access/sites/domain.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { type PageUrl, paginate, windowOf } from '../../platform/schema/pagination.ts'
import type { Services } from '../../platform/services.ts'
import { requirePerson } from '../../stats/people/find-person.ts'
import type { Erasure, ErasureKey, ListErasures, PersonKey } from '../../stats/people/person-schema.ts'

interface ErasureRow {
  id: string
  person: string | null
  step: string
  requestedAt: Date
  finishedAt: Date | null
}

const COLUMNS = `id, person, step, requested_at as "requestedAt", finished_at as "finishedAt"`

const findRunning = query<{ siteNo: number; person: string }, ErasureRow>(
  'find-running-erasure',
  `select ${COLUMNS} from erasures where site_no = :siteNo and person = :person`,
)

/** When two requests come at once, both get the same row. */
const insertErasure = query<
  { siteNo: number; person: string; requestedAt: Date },
  ErasureRow & { isNew: boolean }
>(
  'insert-erasure',
  `insert into erasures (site_no, person, requested_at)
  values (:siteNo, :person, :requestedAt)
  on conflict (site_no, person) where person is not null do update set person = excluded.person
  returning ${COLUMNS}, xmax = 0 as "isNew"`,
)

const findErasure = query<{ siteNo: number; id: string }, ErasureRow>(
  'find-erasure',
  `select ${COLUMNS} from erasures where site_no = :siteNo and id = :id`,
)

const selectErasures = query<{ siteNo: number; limit: number; offset: number }, ErasureRow>(
  'list-erasures',
  `select ${COLUMNS}
  from erasures
  where site_no = :siteNo
  order by requested_at desc, id desc
  limit :limit
  offset :offset`,
)

const countErasures = query<{ siteNo: number }, { count: number }>(
  'count-erasures',
  'select count(*)::int as count from erasures where site_no = :siteNo',
)

interface Site {
  siteNo: number
}

/**
 * Requests the erasure of a person; `erasePeople` does it. While one of the person runs, it is returned instead.
 * The audit log names the erasure, never the person.
 * @throws AppError `not_found` for an unknown person
 */
export async function requestErasure(
  { db, now, audit }: Pick<Services, 'db' | 'now'> & { audit: Audit },
  { siteNo, id: siteId }: Site & { id: string },
  { person }: PersonKey,
): Promise<Erasure> {
  const [running] = await findRunning(db, { siteNo, person })
  if (running) return present(running)
  await requirePerson(db, siteNo, person)
  return db.begin(async tx => {
    const [made] = await insertErasure(tx, { siteNo, person, requestedAt: now() })
    if (made!.isNew) {
      const object = { type: 'erasure', id: made!.id }
      await audit(tx, { action: 'person.erase', object, details: { site_id: siteId } })
    }
    return present(made!)
  })
}

/** Returns a page of the site's erasures, the newest first. */
export async function listErasures(
  context: Pick<Services, 'db'> & { pageUrl: PageUrl },
  { siteNo }: Site,
  input: ListErasures,
) {
  const [rows, [total]] = await Promise.all([
    selectErasures(context.db, { siteNo, ...windowOf(input) }),
    countErasures(context.db, { siteNo }),
  ])
  return paginate(context, input, { rows: rows.map(present), total: total!.count })
}

/** @throws AppError `not_found` */
export async function getErasure(
  { db }: Pick<Services, 'db'>,
  { siteNo }: Site,
  { id }: ErasureKey,
): Promise<Erasure> {
  const [row] = isUuid(id) ? await findErasure(db, { siteNo, id }) : []
  if (!row) throw new AppError('not_found', 'No such erasure')
  return present(row)
}

function present({ id, person, step, requestedAt, finishedAt }: ErasureRow): Erasure {
  return {
    id,
    status: finishedAt ? 'finished' : step === 'prepare' ? 'waiting' : 'running',
    person,
    requested_at: requestedAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  }
}
