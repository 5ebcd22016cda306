import { z } from 'zod'
import { inSnapshot } from '../../db/connect.ts'
import { EVENT_TYPES } from '../../dimensions/event-types.ts'
import type { Section } from '../../dimensions/sections.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { LiveCounts } from '../../rollups/protocol.ts'
import { runUnlessBusy } from '../../rollups/run-unless-busy.ts'
import { count, label, timestamp } from '../../schema/fields.ts'
import { mayShow } from '../../sharing/grant.ts'
import { EventLogItem, presentEvent } from '../event-log/event-item.ts'
import { type LoggedHit, type LogServices, readFilteredLog } from '../event-log/log-pages.ts'
import { grantedFilters, NO_MONEY_EVENTS } from '../filters/granted.ts'
import { checkFilters, type Filters, filterFields, filtersOf } from '../filters/query.ts'
import { completedQuery, propertiesOf } from '../filters/resolved-query.ts'
import { withSegments } from '../filters/segments.ts'
import type { StatsSite } from '../query-context.ts'
import { resolveQueries } from '../resolve/resolve.ts'
import { filteredQuery } from '../sql/filtered-query.ts'

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

/** One row for each minute that has hits. */
const countLiveMinutes = filteredQuery<undefined, LiveCounts['minutes'][number]>(
  'count-live-minutes',
  ['filtered_hits'],
  `select
    (extract(epoch from time_bucket(interval '1 minute', at)) * 1000)::bigint as minute,
    count(distinct visitor_no) as visitors,
    count(*) filter (where type = 'pageview') as pageviews
  from filtered_hits
  where not is_service
  group by 1`,
)

type PresentRow = LiveCounts['present'][number]

/** Distinct visitors of the hits: of all, and of the values with most visitors of three dimensions. */
const countPresent = filteredQuery<{ limit: number }, PresentRow>('count-present', ['filtered_hits'])

/**
 * Returns who is on the site now. Reads rows, or the last rows of a busy site in memory; never rollups: these are up to 15 minutes old.
 * @throws AppError as `grantedFilters` and `resolveQueries`
 */
export async function getLive(services: LogServices, site: StatsSite, query: LiveQuery): Promise<Live> {
  const { grant } = services
  const now = services.now()
  const end = (Math.floor(now.getTime() / MINUTE_MS) + 1) * MINUTE_MS
  const start = end - MINUTES * MINUTE_MS
  const given = await withSegments(services, site, filtersOf(query), query.segment)
  const granted = grantedFilters(grant, given)
  // Events of money change no count here, but they would be listed.
  const filters = mayShow(grant, 'revenue')
    ? granted
    : { ...granted, dimensions: [...granted.dimensions, NO_MONEY_EVENTS] }
  const span = { start: new Date(start), end: new Date(end) }
  const [asked] = await resolveQueries(services, site, filters, [span])
  const resolved = await completedQuery(asked!)
  const present = {
    window: { start: new Date(now.getTime() - PRESENT_MINUTES * MINUTE_MS), end: new Date(end) },
    params: { limit: MOST_ROWS },
  }
  const newest = { params: { types: [...EVENT_TYPES], limit: MOST_EVENTS, offset: 0 } }
  const inMemory = isEverything(granted)
    ? await runUnlessBusy(services.rollups, 'countLive', {
        siteNo: site.siteNo,
        start,
        end,
        presentFrom: present.window.start.getTime(),
        limit: MOST_ROWS,
      })
    : null
  // What was counted in memory is of a snapshot shortly before: the list may have an event more.
  const [minutes, rows, events] = await inSnapshot(services.reads, async transaction => [
    inMemory?.minutes ?? (await countLiveMinutes(transaction, resolved)),
    inMemory?.present ?? (await countPresent(transaction, resolved, present)),
    mayShow(grant, 'events') ? await readFilteredLog(transaction, resolved, newest) : ([] as LoggedHit[]),
  ])
  const rowsFor = (dimension: PresentRow['dimension'], section: Section) =>
    mayShow(grant, section) ? rows.filter(row => row.dimension === dimension).map(presentRow) : []
  return {
    now: now.toISOString(),
    visitors: rows.find(({ dimension }) => dimension === null)?.visitors ?? 0,
    minutes: minutesFrom(start, minutes),
    pages: rowsFor('path', 'pages'),
    sources: rowsFor('source', 'sources'),
    countries: rowsFor('country', 'locations'),
    events: events.map(event => presentEvent(event, site, services)),
  }
}

const isEverything = ({ dimensions, goalIds, segmentGoalIds = [], ...properties }: Filters): boolean =>
  [...dimensions, ...goalIds, ...segmentGoalIds, ...propertiesOf({ dimensions, ...properties })].length === 0

const presentRow = ({ value, visitors }: PresentRow) => ({ value: value || '(none)', visitors })

function minutesFrom(start: number, counted: LiveCounts['minutes']): Live['minutes'] {
  const byMinute = new Map(counted.map(row => [row.minute, row]))
  return Array.from({ length: MINUTES }, (_, index) => {
    const minute = start + index * MINUTE_MS
    const { visitors = 0, pageviews = 0 } = byMinute.get(minute) ?? {}
    return { start: new Date(minute).toISOString(), visitors, pageviews }
  })
}
