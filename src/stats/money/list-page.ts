import { z } from 'zod'
import type { Db } from '../../platform/db/connect.ts'
import { type Page, type PageQuery, windowOf } from '../../platform/schema/pagination.ts'
import { requiredText } from '../../platform/schema/validation.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { requireSection } from '../sharing/grant.ts'
import { type FirstVisitQuery, type OfFirstVisit, resolveFirstVisit } from './first-visit.ts'

// What the lists of customers and of subscriptions share.

/** Order of a list. */
export const orderField = {
  order: z.enum(['desc', 'asc']).default('desc').meta({ description: 'Largest or newest first, or last.' }),
}

/** Search in a list of customers. */
export const searchField = {
  search: requiredText(255).optional().meta({
    description: 'Part of the id, the name or the e-mail address, in upper or lower case.',
    example: 'ada',
  }),
}

/** Parameters of the statements: empty texts want everything. */
export type Wanted = OfFirstVisit & { currency: string; search: string; status: string; seesMail: boolean }
export type Window = { sort: string; order: string; limit: number; offset: number }

type ListQuery = FirstVisitQuery &
  PageQuery & { search?: string | undefined; status?: string | undefined; sort: string; order: string }

/**
 * Returns a page of a list of customers or of what they have.
 * @throws AppError `forbidden` for readers who may not see people; as `resolveFirstVisit`
 */
export async function readListPage<Row>(
  services: StatsServices,
  site: StatsSite,
  { search = '', status = '', sort, order, ...query }: ListQuery,
  statements: {
    list: (db: Db, params: Wanted & Window) => Promise<Row[]>
    count: (db: Db, params: Wanted) => Promise<{ total: number }[]>
  },
): Promise<Page<Row>> {
  requireSection(services.grant, 'people')
  const ofFirstVisit = resolveFirstVisit(services, site, query)
  // A search for an address that is not shown would tell whose it is.
  const seesMail = !services.hidePayer
  const wanted = { ...ofFirstVisit, currency: site.currency, search: search.toLowerCase(), status, seesMail }
  const [rows, [total]] = await Promise.all([
    statements.list(services.reads, { ...wanted, sort, order, ...windowOf(query) }),
    statements.count(services.reads, wanted),
  ])
  return { rows, total: total!.total }
}
