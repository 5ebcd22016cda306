import { z } from 'zod'
import { MOST_ROWS, runningDownload } from './download.ts'
import { count } from './fields.ts'
import { integer } from './validation.ts'

/** Largest page whose offset is still an exact number; SQL needs a `bigint` for it. */
const MAX_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / 100)

/**
 * Schema of an integer, as a text in a query string (`10`; not `1e1`, `10.0` or ` 10`) or as a number from tRPC.
 * @param min,max both included
 */
export const integerParameter = (min: number, max: number) =>
  z.preprocess((given: number) => (isIntegerText(given) ? Number(given) : given), integer(min, max))

/** The same where both ends are worth naming: of a number that is a choice, not of a page. */
export const rangedParameter = (min: number, max: number) =>
  z.preprocess(
    (given: number) => (isIntegerText(given) ? Number(given) : given),
    integer(min, max, `must be an integer from ${min} to ${max}`),
  )

const isIntegerText = (given: unknown) => typeof given === 'string' && /^-?\d+$/.test(given)

/** Query fields that all paginated endpoints have in addition to their own. */
export const pageFields = (defaultPerPage: number) => ({
  page: integerParameter(1, MAX_PAGE)
    .prefault(1)
    .meta({ description: 'Which page; one beyond the last is empty.' }),
  per_page: integerParameter(1, 100).prefault(defaultPerPage).meta({ description: 'Items on a page.' }),
})

export interface PageQuery {
  page: number
  per_page: number
}

/** Returns the SQL `limit` and `offset` of a page; those of the whole list while it is downloaded. */
export function windowOf({ page, per_page }: PageQuery): { limit: number; offset: number } {
  // One row more than a file may have: it says that the list is too long.
  if (runningDownload()?.isWhole) return { limit: MOST_ROWS + 1, offset: 0 }
  return { limit: per_page, offset: (page - 1) * per_page }
}

/** The rows of one page, and the number of rows of all pages. */
export interface Page<Row> {
  rows: Row[]
  total: number
}

const link = (description: string, example: string | null) =>
  z.string().nullable().meta({ format: 'uri', description, example })

const URL_OF_PAGE = 'http://127.0.0.1:3000/api/sites/example.com/goals?page='
const PageLinks = z
  .object({
    first: link('The first page.', `${URL_OF_PAGE}1`),
    last: link('The last page.', `${URL_OF_PAGE}2`),
    prev: link('The page before; null on the first.', null),
    next: link('The page after; null on the last.', `${URL_OF_PAGE}2`),
  })
  .meta({ id: 'PageLinks', description: 'Addresses of other pages, with the query of the request.' })

const PageMeta = z
  .object({
    current_page: count('Which page this is, from 1.', 1),
    per_page: count('Items on a page.', 25),
    total: count('Items on all pages.', 42),
    last_page: count('The number of pages, at least 1.', 2),
  })
  .meta({ id: 'PageMeta', description: 'Where this page stands.' })

/** Schema of a page of items in an answer. The links are null through tRPC, where pages have no URL. */
export const envelope = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item).meta({ description: 'The items of the page.' }),
    links: PageLinks,
    meta: PageMeta,
  })

/** Returns the address of another page of the same request; null where pages have no address. */
export type PageUrl = (page: number) => string | null

/**
 * Wraps the rows of a page as `envelope` describes. An empty list has one page. Beyond the last page, `prev` is the last page.
 * @param context supplies `pageUrl`, which builds the links
 */
export function paginate<Row>(
  { pageUrl }: { pageUrl: PageUrl },
  { page, per_page }: PageQuery,
  { rows, total }: Page<Row>,
) {
  const download = runningDownload()
  download?.take(rows, total)
  const lastPage = Math.max(1, Math.ceil(total / per_page))
  return {
    data: download ? [] : rows,
    links: {
      first: pageUrl(1),
      last: pageUrl(lastPage),
      prev: page > 1 ? pageUrl(Math.min(page - 1, lastPage)) : null,
      next: page < lastPage ? pageUrl(page + 1) : null,
    },
    meta: { current_page: page, per_page, total, last_page: lastPage },
  }
}
