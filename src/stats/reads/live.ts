import { z } from 'zod'
import { EVENT_TYPES } from '../../platform/dimensions/event-types.ts'
import type { Section } from '../../platform/dimensions/sections.ts'
import { MINUTE_MS } from '../../platform/lib/time.ts'
import { count, label, timestamp } from '../../platform/schema/fields.ts'
import type { LiveCounts } from '../../storage/rollups/protocol.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { EventLogItem, presentEvent } from '../event-log/event-item.ts'
import { type LoggedHit, type LogServices, readLog } from '../event-log/log-pages.ts'
import { grantedFilters } from '../filters/granted.ts'
import { checkFilters, filterFields, filtersOf } from '../filters/stats-query.ts'
import { withSegments } from '../filters/with-segments.ts'
import { type StatsSite, withoutMoneyEvents } from '../query-context.ts'
import { resolveQueries } from '../resolve/resolve.ts'
import { mayShow } from '../sharing/grant.ts'

/** Minutes of the series, minutes in which a visitor counts as present, rows of each list, and events. */
const MINUTES = 30
const PRESENT_MINUTES = 5
const MOST_ROWS = 10
const MOST_EVENTS = 20

export const LiveQuery = z.object(filterFields).superRefine(checkFilters)
export type LiveQuery = z.infer<typeof LiveQuery>

const rowsOf = (description: string, value: string, section: Section) =>
  z
    .array(
      z.object({
        value: label('The value; `(none)` for the empty one.', value),
        visitors: count('Distinct visitors of the last 5 minutes.', 4),
      }),
    )
    .meta({
      description: `${description} of the last 5 minutes, at most 10, most visitors first. Empty for readers without the section \`${section}\`.`,
    })

/** @see docs/metrics.md "Live" */
export const Live = z
  .object({
    now: timestamp('When this was counted.'),
    visitors: count('Distinct visitors with a pageview or event in the last 5 minutes.', 7),
    minutes: z
      .array(
        z.object({
          start: timestamp('Where the minute begins.'),
          visitors: count('Distinct visitors in the minute.', 3),
          pageviews: count('Pageviews in the minute.', 5),
        }),
      )
      .meta({ description: 'The last 30 minutes; the last one is the current minute.' }),
    pages: rowsOf('Paths', '/pricing', 'pages'),
    sources: rowsOf('Sources', 'Google', 'sources'),
    countries: rowsOf('Countries', 'DE', 'locations'),
    events: z.array(EventLogItem).meta({
      description:
        'The newest 20 pageviews and events of the last 30 minutes. Empty for readers without the section `events`.',
    }),
  })
  .meta({ id: 'Live' })
export type Live = z.infer<typeof Live>

type PresentRow = LiveCounts['present'][number]

/**
 * Returns who is on the site now, counted over columns: rollups are of days that are over.
 * @throws AppError as `grantedFilters`, `resolveQueries` and `countAsked`
 */
export async function getLive(services: LogServices, site: StatsSite, asked: LiveQuery): Promise<Live> {
  const { grant } = services
  const now = services.now()
  const end = (Math.floor(now.getTime() / MINUTE_MS) + 1) * MINUTE_MS
  const start = end - MINUTES * MINUTE_MS
  const given = await withSegments(services, site, filtersOf(asked), asked.segment)
  const span = { start: new Date(start), end: new Date(end) }
  // Events of money change no count here, but they would be listed.
  const filters = await withoutMoneyEvents(services, site, grantedFilters(grant, given), span)
  const [resolved] = await resolveQueries(services, site, filters, [span])
  const wanted = { presentFrom: now.getTime() - PRESENT_MINUTES * MINUTE_MS, limit: MOST_ROWS }
  const types = [...EVENT_TYPES]
  const listNewest = async (): Promise<LoggedHit[]> => {
    if (!mayShow(grant, 'events')) return []
    const newest = await readLog(services, resolved!, { page: 1, per_page: MOST_EVENTS }, { types })
    return newest.rows
  }
  // The list may have an event more than what is counted.
  const [{ minutes, present }, events] = await Promise.all([
    countAsked(services, resolved!, 'live', wanted),
    listNewest(),
  ])
  const rowsFor = (dimension: PresentRow['dimension'], section: Section) =>
    mayShow(grant, section) ? present.filter(row => row.dimension === dimension).map(presentRow) : []
  return {
    now: now.toISOString(),
    visitors: present.find(({ dimension }) => dimension === null)?.visitors ?? 0,
    minutes: minutesFrom(start, minutes),
    pages: rowsFor('path', 'pages'),
    sources: rowsFor('source', 'sources'),
    countries: rowsFor('country', 'locations'),
    events: events.map(event => presentEvent(event, site, services)),
  }
}

const presentRow = ({ value, visitors }: PresentRow) => ({ value: value || '(none)', visitors })

function minutesFrom(start: number, counted: LiveCounts['minutes']): Live['minutes'] {
  const byMinute = new Map(counted.map(row => [row.minute, row]))
  return Array.from({ length: MINUTES }, (_, index) => {
    const minute = start + index * MINUTE_MS
    const { visitors = 0, pageviews = 0 } = byMinute.get(minute) ?? {}
    return { start: new Date(minute).toISOString(), visitors, pageviews }
  })
}
