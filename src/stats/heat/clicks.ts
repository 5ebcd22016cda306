import { z } from 'zod'
import { AUTOCAPTURE_TYPES } from '../../ingestion/hit.ts'
import { ratio } from '../../lib/numbers.ts'
import { compareTexts } from '../../rollups/daily/value-dictionary.ts'
import { count, decimal, label } from '../../schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../schema/pagination.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { StatsQuery } from '../filters/query.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { PageWindow } from '../metrics/rank.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { mergeSlices, readSlices } from '../sql/slices.ts'

const ClickType = z.enum(AUTOCAPTURE_TYPES)
type ClickType = z.infer<typeof ClickType>

const LONGEST_LIST = 100
const typesMessage = `must be one or more of ${AUTOCAPTURE_TYPES.join(', ')}, with commas between`

/** `types=button,form`, from the query string or from a call in code. */
const ClickTypes = z
  .union([z.string().max(LONGEST_LIST), z.array(z.string().max(LONGEST_LIST)).max(LONGEST_LIST)], {
    error: typesMessage,
  })
  .transform((given, context) => {
    const read = z.array(ClickType).safeParse([given].flat().flatMap(list => list.split(',')))
    if (read.success) return [...new Set(read.data)]
    context.addIssue({ code: 'custom', message: typesMessage })
    return z.NEVER
  })

export const ClicksQuery = StatsQuery.safeExtend({
  types: ClickTypes.optional().meta({
    description: 'Which types, with commas between; all without any.',
    openapi: {
      schema: { type: 'array', items: { type: 'string', enum: AUTOCAPTURE_TYPES } },
      explode: false,
      example: ['outbound', 'button'],
    },
  }),
  ...pageFields(25),
})
export type ClicksQuery = z.infer<typeof ClicksQuery>

/** @see docs/metrics.md "Clicks" */
export const ClickRow = z
  .object({
    event_type: ClickType.meta({ description: 'What was done.' }),
    selector: label('The element; null for hits without one.', '#buy').nullable(),
    target: label('Address of a link or form; null without one.', 'https://example.org/').nullable(),
    clicks: count('How often in the range.', 31),
    sessions: count('Distinct sessions that did.', 24),
    visitors: count('Distinct visitors that did.', 22),
    share: decimal('Percent of the sessions that saw the page, or any page.', 12.5),
  })
  .meta({ id: 'ClickRow' })
export type ClickRow = z.infer<typeof ClickRow>

interface Clicked {
  type: ClickType
  selector: string
  target: string
  clicks: number
  sessions: number
  visitors: number
}

/** One page of what was clicked, by clicks. */
const rankClicks = filteredQuery<PageWindow, Clicked & { total: number }>('rank-clicks', ['clicks'])

/** What `rank-clicks` ranks, for one slice: everything. */
const countClicks = filteredQuery<undefined, Omit<Clicked, 'visitors'> & { visitors: Buffer }>(
  'count-clicks',
  ['clicks'],
  `select
    type,
    selector,
    target,
    count(*) as clicks,
    count(distinct session_no) as sessions,
    array_send(array_agg(distinct visitor_no)) as visitors
  from clicks
  group by type, selector, target`,
)

const countSeenSessions = filteredQuery<undefined, { sessions: number }>(
  'count-seen-sessions',
  ['seen_sessions'],
  'select count(*) as sessions from seen_sessions',
)

/** Returns what was clicked, most clicks first; ties by type, selector and target. */
export async function getClicks(
  services: StatsServices,
  site: StatsSite,
  query: ClicksQuery,
): Promise<Page<ClickRow>> {
  const { resolved } = await resolveContext(services, site, query)
  const types = query.types ?? [...AUTOCAPTURE_TYPES]
  const counted = await countAsked(services, resolved, 'clicks', { types })
  const [{ rows, total }, saw] = counted
    ? [pageOf(counted.rows, windowOf(query)), counted.saw]
    : await Promise.all([
        readClicks(services, resolved, { ...query, types }),
        readSlices(services, countSeenSessions, resolved).then(seen =>
          seen.reduce((sum, { sessions }) => sum + sessions, 0),
        ),
      ])
  return {
    rows: rows.map(({ type, selector, target, clicks, sessions, visitors }) => ({
      event_type: type,
      selector: selector || null,
      target: target || null,
      clicks,
      sessions,
      visitors,
      share: ratio(100 * sessions, saw, 2),
    })),
    total,
  }
}

async function readClicks(
  services: StatsServices,
  resolved: ResolvedQuery,
  { types, ...query }: ClicksQuery & { types: ClickType[] },
): Promise<Page<Clicked>> {
  const window = windowOf(query)
  const heat = { types }
  if (!services.slices) {
    const rows = await rankClicks(services.reads, resolved, { heat, params: window })
    return { rows: rows.filter(({ type }) => type !== null), total: rows[0]?.total ?? 0 }
  }
  const counted = await readSlices(services, countClicks, resolved, { heat })
  const merged: Clicked[] = mergeSlices(counted, ({ type, selector, target }) =>
    JSON.stringify([type, selector, target]),
  )
  return pageOf(merged, window)
}

/** Returns a page of all that was clicked, most clicks first. */
function pageOf(clicked: Clicked[], { offset, limit }: PageWindow): Page<Clicked> {
  clicked.sort(
    (a, b) =>
      b.clicks - a.clicks ||
      compareTexts(a.type, b.type) ||
      compareTexts(a.selector, b.selector) ||
      compareTexts(a.target, b.target),
  )
  return { rows: clicked.slice(offset, offset + limit), total: clicked.length }
}
