import { envelope, paginate } from '../infra/pagination.ts'
import { BreakdownQuery, BreakdownRow, getBreakdown } from '../stats/breakdown.ts'
import {
  ErrorGroup,
  ErrorOccurrence,
  ErrorQuery,
  ErrorsQuery,
  ErrorTimeseries,
  getError,
  getErrorOccurrences,
  getErrors,
  getErrorTimeseries,
  OccurrencesQuery,
} from '../stats/errors.ts'
import { EventLogItem, EventLogQuery, getEventLog } from '../stats/event-log.ts'
import { EventsTimeseries, EventsTimeseriesQuery, getEventsTimeseries } from '../stats/event-types.ts'
import { FilterValues, FilterValuesQuery, getFilterValues } from '../stats/filter-values.ts'
import { StatsQuery } from '../stats/filters/query.ts'
import { GoalRows, getGoalReport } from '../stats/goal-report.ts'
import { getOverview, Overview, OverviewQuery } from '../stats/overview.ts'
import {
  getPageTitles,
  getPageTitleTimeseries,
  PageTitleRow,
  PageTitlesQuery,
  PageTitleTimeseries,
  PageTitleTimeseriesQuery,
} from '../stats/page-titles.ts'
import {
  getPropertyBreakdown,
  PropertyBreakdown,
  PropertyBreakdownQuery,
} from '../stats/property-breakdown.ts'
import { getTimeseries, Timeseries, TimeseriesQuery } from '../stats/timeseries.ts'
import { router, siteProcedure } from './procedures.ts'

export const statsRouter = router({
  overview: siteProcedure
    .input(OverviewQuery)
    .output(Overview)
    .query(({ ctx, input }) => getOverview(ctx, ctx.site, input)),
  timeseries: siteProcedure
    .input(TimeseriesQuery)
    .output(Timeseries)
    .query(({ ctx, input }) => getTimeseries(ctx, ctx.site, input)),
  breakdown: siteProcedure
    .input(BreakdownQuery)
    .output(envelope(BreakdownRow))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getBreakdown(ctx, ctx.site, input))),
  goals: siteProcedure
    .input(StatsQuery)
    .output(GoalRows)
    .query(({ ctx, input }) => getGoalReport(ctx, ctx.site, input)),
  events: siteProcedure
    .input(EventLogQuery)
    .output(envelope(EventLogItem))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getEventLog(ctx, ctx.site, input))),
  eventsTimeseries: siteProcedure
    .input(EventsTimeseriesQuery)
    .output(EventsTimeseries)
    .query(({ ctx, input }) => getEventsTimeseries(ctx, ctx.site, input)),
  propertyBreakdown: siteProcedure
    .input(PropertyBreakdownQuery)
    .output(PropertyBreakdown)
    .query(({ ctx, input }) => getPropertyBreakdown(ctx, ctx.site, input)),
  pageTitles: siteProcedure
    .input(PageTitlesQuery)
    .output(envelope(PageTitleRow))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getPageTitles(ctx, ctx.site, input))),
  pageTitlesTimeseries: siteProcedure
    .input(PageTitleTimeseriesQuery)
    .output(PageTitleTimeseries)
    .query(({ ctx, input }) => getPageTitleTimeseries(ctx, ctx.site, input)),
  filterValues: siteProcedure
    .input(FilterValuesQuery)
    .output(FilterValues)
    .query(({ ctx, input }) => getFilterValues(ctx, ctx.site, input)),
  errors: siteProcedure
    .input(ErrorsQuery)
    .output(envelope(ErrorGroup))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getErrors(ctx, ctx.site, input))),
  error: siteProcedure
    .input(ErrorQuery)
    .output(ErrorGroup)
    .query(({ ctx, input }) => getError(ctx, ctx.site, input)),
  errorTimeseries: siteProcedure
    .input(ErrorQuery)
    .output(ErrorTimeseries)
    .query(({ ctx, input }) => getErrorTimeseries(ctx, ctx.site, input)),
  errorEvents: siteProcedure
    .input(OccurrencesQuery)
    .output(envelope(ErrorOccurrence))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getErrorOccurrences(ctx, ctx.site, input))),
})
