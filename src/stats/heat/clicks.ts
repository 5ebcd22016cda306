import { z } from 'zod'
import { AUTOCAPTURE_TYPES } from '../../ingestion/hit.ts'
import { ratio } from '../../platform/lib/numbers.ts'
import { count, decimal, label } from '../../platform/schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../platform/schema/pagination.ts'
import { compareTexts } from '../../storage/rollups/daily/value-dictionary.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'

const ClickType = z.enum(AUTOCAPTURE_TYPES)

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

/** Returns what was clicked, most clicks first; ties by type, selector and target. */
export async function getClicks(
  services: StatsServices,
  site: StatsSite,
  query: ClicksQuery,
): Promise<Page<ClickRow>> {
  const { resolved } = await resolveContext(services, site, query)
  const types = query.types ?? [...AUTOCAPTURE_TYPES]
  const { rows: clicked, saw } = await countAsked(services, resolved, 'clicks', { types })
  clicked.sort(
    (a, b) =>
      b.clicks - a.clicks ||
      compareTexts(a.type, b.type) ||
      compareTexts(a.selector, b.selector) ||
      compareTexts(a.target, b.target),
  )
  const { limit, offset } = windowOf(query)
  return {
    rows: clicked
      .slice(offset, offset + limit)
      .map(({ type, selector, target, clicks, sessions, visitors }) => ({
        event_type: type,
        selector: selector || null,
        target: target || null,
        clicks,
        sessions,
        visitors,
        share: ratio(100 * sessions, saw, 2),
      })),
    total: clicked.length,
  }
}
