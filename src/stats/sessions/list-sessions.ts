import { z } from 'zod'
import { isUuid } from '../../access/sites/domain.ts'
import { query } from '../../platform/db/query.ts'
import { type Page, pageFields } from '../../platform/schema/pagination.ts'
import type { LogServices } from '../event-log/log-pages.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { resolveContext, type StatsSite } from '../query-context.ts'
import { readSessions } from './session-pages.ts'
import { presentSession, type SessionRow } from './session-row.ts'

const visitorMessage = 'must be the id of a visitor: a UUID'

const VisitorId = z
  .string({ error: visitorMessage })
  .refine(isUuid, { error: visitorMessage })
  .meta({ format: 'uuid', description: 'Only sessions of this visitor; an unknown one has none.' })

export const SessionsQuery = StatsQuery.safeExtend({ visitor_id: VisitorId.optional(), ...pageFields(25) })
export type SessionsQuery = z.infer<typeof SessionsQuery>

/** The number of a visitor, by which its rows are stored. */
export const findVisitorNo = query<{ siteNo: number; visitorId: string }, { visitorNo: number }>(
  'find-visitor-no',
  `select visitor_no as "visitorNo" from visitors where site_no = :siteNo::int and id = :visitorId::uuid`,
)

/** Returns a page of the sessions that started in the range, the newest first. */
export async function getSessions(
  services: LogServices,
  site: StatsSite,
  query: SessionsQuery,
): Promise<Page<SessionRow>> {
  const { resolved } = await resolveContext(services, site, query)
  const { siteNo, currency } = site
  const visitorId = query.visitor_id
  const [visitor] = visitorId ? await findVisitorNo(services.reads, { siteNo, visitorId }) : []
  if (visitorId && !visitor) return { rows: [], total: 0 }
  const people = visitor && { visitorNos: [visitor.visitorNo] }
  const { rows, total } = await readSessions(services, { resolved, currency, people }, query)
  return { rows: rows.map(row => presentSession(row, siteNo, services)), total }
}
