import { z } from 'zod'
import { integer } from './validation.ts'

/** So high that the offset of the last page is still an exact number (and needs a `bigint` in SQL). */
const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / 100)

/**
 * An integer as a query string writes it (`10`; not `1e1`, `10.0` or ` 10`) or as tRPC sends it.
 * @param min,max both included
 */
export const integerParameter = (min: number, max: number) =>
  z.preprocess((given: number) => (isIntegerText(given) ? Number(given) : given), integer(min, max))

const isIntegerText = (given: unknown) => typeof given === 'string' && /^-?\d+$/.test(given)

/** The fields that every paginated endpoint takes beside its own. */
export const pageFields = (defaultPerPage: number) => ({
  page: integerParameter(1, MAX_PAGE).default(1),
  per_page: integerParameter(1, 100).default(defaultPerPage),
})

export interface PageQuery {
  page: number
  per_page: number
}

/** What SQL takes: so many rows, after so many others. */
export function windowOf({ page, per_page }: PageQuery): { limit: number; offset: number } {
  return { limit: per_page, offset: (page - 1) * per_page }
}

/** The rows of one page, and how many all pages have. */
export interface Page<Row> {
  rows: Row[]
  total: number
}

const Link = z.string().nullable()

/** A page of items as it is answered. Through tRPC, where pages have no URL, the links are null. */
export const envelope = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    links: z.object({ first: Link, last: Link, prev: Link, next: Link }),
    meta: z.object({
      current_page: z.int(),
      per_page: z.int(),
      total: z.int(),
      last_page: z.int(),
    }),
  })

/** The address of another page of what was asked for; null where pages have none. */
export type PageUrl = (page: number) => string | null

/**
 * Wraps the rows of a page as `envelope` describes. An empty list has one page. Beyond the last page `prev` is the last.
 * @param context whose `pageUrl` makes the links
 */
export function paginate<Row>(
  { pageUrl }: { pageUrl: PageUrl },
  { page, per_page }: PageQuery,
  { rows, total }: Page<Row>,
) {
  const lastPage = Math.max(1, Math.ceil(total / per_page))
  return {
    data: rows,
    links: {
      first: pageUrl(1),
      last: pageUrl(lastPage),
      prev: page > 1 ? pageUrl(Math.min(page - 1, lastPage)) : null,
      next: page < lastPage ? pageUrl(page + 1) : null,
    },
    meta: { current_page: page, per_page, total, last_page: lastPage },
  }
}
