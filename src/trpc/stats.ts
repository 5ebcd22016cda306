import { envelope, paginate } from '../platform/schema/pagination.ts'
import { Comparison } from '../platform/time/comparison.ts'
import { BreakdownQuery } from '../stats/breakdown/breakdown-query.ts'
import { BreakdownRow } from '../stats/breakdown/row.ts'
import { EventLogItem } from '../stats/event-log/event-item.ts'
import { StatsQuery } from '../stats/filters/stats-query.ts'
import { Imported } from '../stats/imported/imported-answer.ts'
import { getBreakdown } from '../stats/reads/breakdown.ts'
import {
  ErrorGroup,
  ErrorOccurrence,
  ErrorQuery,
  ErrorsQuery,
  ErrorTimeseries,
  ErrorTimeseriesQuery,
  getError,
  getErrorOccurrences,
  getErrors,
  getErrorTimeseries,
  OccurrencesQuery,
} from '../stats/reads/error-groups.ts'
import { EventLogQuery, getEventLog } from '../stats/reads/event-log.ts'
import {
  EventsTimeseries,
  EventsTimeseriesQuery,
  getEventsTimeseries,
} from '../stats/reads/events-timeseries.ts'
import { FilterValues, FilterValuesQuery, getFilterValues } from '../stats/reads/filter-values.ts'
import { GoalPreview, GoalPreviewQuery, previewGoal } from '../stats/reads/goal-preview.ts'
import { GoalRows, getGoalReport } from '../stats/reads/goal-report.ts'
import { getOverview, Overview, OverviewQuery } from '../stats/reads/overview.ts'
import {
  getPageTitleTimeseries,
  PageTitleTimeseries,
  PageTitleTimeseriesQuery,
} from '../stats/reads/page-title-timeseries.ts'
import { getPageTitles, PageTitleRow, PageTitlesQuery } from '../stats/reads/page-titles.ts'
import {
  getPropertyBreakdown,
  PropertyBreakdown,
  PropertyBreakdownQuery,
} from '../stats/reads/property-breakdown.ts'
import { getTimeseries, Timeseries, TimeseriesQuery } from '../stats/reads/timeseries.ts'
import { router } from './procedures.ts'
import { sharedSiteProcedure, unsharedSiteProcedure } from './shared-site.ts'
import { explainProcedures } from './stats/explain.ts'
import { funnelProcedures } from './stats/funnels.ts'
import { heatProcedures } from './stats/heat.ts'
import { journeyProcedures } from './stats/journeys.ts'
import { liveProcedures } from './stats/live.ts'
import { moneyProcedures } from './stats/money.ts'
import { peopleProcedures } from './stats/people.ts'
import { replayProcedures } from './stats/replays.ts'
import { retentionProcedures } from './stats/retention.ts'
import { webVitalsProcedures } from './stats/web-vitals.ts'

const Breakdown = envelope(BreakdownRow).extend({
  comparison: Comparison.optional(),
  imported: Imported.optional(),
})

const errorProcedure = sharedSiteProcedure.meta({
  section: 'errors',
  not_found: 'No such site, or no such error of it',
})

export const statsRouter = router({
  ...liveProcedures,
  overview: sharedSiteProcedure
    .meta({
      section: 'traffic',
      path: '/api/sites/:siteKey/overview',
      summary: 'Read the overview',
      description:
        'What the range counts, and the same metrics of as many days just before, or of the period that `compare` says.',
      answer: 'The overview.',
    })
    .input(OverviewQuery)
    .output(Overview)
    .query(({ ctx, input }) => getOverview(ctx, ctx.site, input)),
  timeseries: sharedSiteProcedure
    .meta({
      section: 'any',
      path: '/api/sites/:siteKey/stats/timeseries',
      summary: 'Read a metric over time',
      description: 'One metric of the overview in each bucket of the range.',
      answer: 'The series, and that of the period before, or the compared one, by its own buckets.',
    })
    .input(TimeseriesQuery)
    .output(Timeseries)
    .query(({ ctx, input }) => getTimeseries(ctx, ctx.site, input)),
  breakdown: sharedSiteProcedure
    .meta({
      section: 'any',
      path: '/api/sites/:siteKey/stats/breakdown',
      summary: 'Break traffic down by a dimension',
      description:
        'The traffic, conversions and money of each value, most visitors first unless sorted otherwise.',
      answer: 'A page of values.',
    })
    .input(BreakdownQuery)
    .output(Breakdown)
    .query(async ({ ctx, input }) => {
      const { comparison, imported, ...page } = await getBreakdown(ctx, ctx.site, input)
      return {
        ...paginate(ctx, input, page),
        ...(comparison && { comparison }),
        ...(imported && { imported }),
      }
    }),
  ...explainProcedures,
  goals: sharedSiteProcedure
    .meta({
      section: 'goals',
      path: '/api/sites/:siteKey/stats/goals',
      summary: 'Report goals',
      description: 'What each goal converted in the range, in the order of the list of goals.',
      answer: 'A bare array.',
    })
    .input(StatsQuery)
    .output(GoalRows)
    .query(({ ctx, input }) => getGoalReport(ctx, ctx.site, input)),
  goalPreview: unsharedSiteProcedure
    .meta({
      path: '/api/sites/:siteKey/stats/goal-preview',
      summary: 'Preview a goal',
      description:
        'What the goal report would say of a goal with this definition, and what its value matches.',
      answer: 'Its conversions, and the values with the most of them.',
    })
    .input(GoalPreviewQuery)
    .output(GoalPreview)
    .query(({ ctx, input }) => previewGoal(ctx, ctx.site, input)),
  ...funnelProcedures,
  ...journeyProcedures,
  ...retentionProcedures,
  events: sharedSiteProcedure
    .meta({
      section: 'events',
      path: '/api/sites/:siteKey/stats/events',
      summary: 'Read the event log',
      description: 'Everything that happened in the range, the newest first. Engagement is never in it.',
      answer: 'A page of the log.',
    })
    .input(EventLogQuery)
    .output(envelope(EventLogItem))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getEventLog(ctx, ctx.site, input))),
  eventsTimeseries: sharedSiteProcedure
    .meta({
      section: 'events',
      path: '/api/sites/:siteKey/stats/events/timeseries',
      summary: 'Count events over time',
      description: 'How many events of each type every bucket of the range has.',
      answer: 'A series for each type, aligned with the labels.',
    })
    .input(EventsTimeseriesQuery)
    .output(EventsTimeseries)
    .query(({ ctx, input }) => getEventsTimeseries(ctx, ctx.site, input)),
  propertyBreakdown: sharedSiteProcedure
    .meta({
      section: 'events',
      path: '/api/sites/:siteKey/stats/events/property-breakdown',
      summary: 'Break an event down by its properties',
      description: 'What the events of a name carried, by distinct visitors.',
      answer: 'At most 50 rows.',
    })
    .input(PropertyBreakdownQuery)
    .output(PropertyBreakdown)
    .query(({ ctx, input }) => getPropertyBreakdown(ctx, ctx.site, input)),
  pageTitles: sharedSiteProcedure
    .meta({
      section: 'pages',
      path: '/api/sites/:siteKey/stats/page-titles',
      summary: 'Read page titles',
      description: 'Titles that were seen, most sessions first.',
      answer: 'A page of titles.',
    })
    .input(PageTitlesQuery)
    .output(envelope(PageTitleRow))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getPageTitles(ctx, ctx.site, input))),
  pageTitlesTimeseries: sharedSiteProcedure
    .meta({
      section: 'pages',
      path: '/api/sites/:siteKey/stats/page-titles/timeseries',
      summary: 'Count the sessions of a page title over time',
      description: 'Each session counts once, in the bucket in which it started.',
      answer: 'The series.',
    })
    .input(PageTitleTimeseriesQuery)
    .output(PageTitleTimeseries)
    .query(({ ctx, input }) => getPageTitleTimeseries(ctx, ctx.site, input)),
  filterValues: sharedSiteProcedure
    .meta({
      section: 'any',
      path: '/api/sites/:siteKey/stats/filter-values',
      summary: 'Suggest values for a filter',
      description:
        "The values a dimension has, most frequent first. The dimension's own filter is not applied.",
      answer: 'The values.',
    })
    .input(FilterValuesQuery)
    .output(FilterValues)
    .query(({ ctx, input }) => getFilterValues(ctx, ctx.site, input)),
  errors: sharedSiteProcedure
    .meta({
      section: 'errors',
      path: '/api/sites/:siteKey/stats/errors',
      summary: 'Read error groups',
      description: 'Errors by their exact message, most occurrences first.',
      answer: 'A page of error groups.',
    })
    .input(ErrorsQuery)
    .output(envelope(ErrorGroup))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getErrors(ctx, ctx.site, input))),
  error: errorProcedure
    .meta({
      path: '/api/sites/:siteKey/stats/errors/:error',
      summary: 'Read one error group',
      description: 'Also when it did not occur in the range: then its counts are 0.',
      answer: 'The error group.',
    })
    .input(ErrorQuery)
    .output(ErrorGroup)
    .query(({ ctx, input }) => getError(ctx, ctx.site, input)),
  errorTimeseries: errorProcedure
    .meta({
      path: '/api/sites/:siteKey/stats/errors/:error/timeseries',
      summary: 'Count an error over time',
      answer: 'The series, aligned with the labels.',
    })
    .input(ErrorTimeseriesQuery)
    .output(ErrorTimeseries)
    .query(({ ctx, input }) => getErrorTimeseries(ctx, ctx.site, input)),
  errorEvents: errorProcedure
    .meta({
      path: '/api/sites/:siteKey/stats/errors/:error/events',
      summary: 'Read the occurrences of an error',
      description: 'Each time it occurred, the newest first.',
      answer: 'A page of occurrences.',
    })
    .input(OccurrencesQuery)
    .output(envelope(ErrorOccurrence))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getErrorOccurrences(ctx, ctx.site, input))),
  ...heatProcedures,
  ...moneyProcedures,
  ...peopleProcedures,
  ...replayProcedures,
  ...webVitalsProcedures,
})
