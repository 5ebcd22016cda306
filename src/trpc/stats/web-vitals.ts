import { envelope, paginate } from '../../platform/schema/pagination.ts'
import {
  getWebVitalsAttribution,
  WebVitalsAttributionQuery,
  WebVitalsCause,
} from '../../stats/web-vitals/attribution.ts'
import {
  getWebVitalsBreakdown,
  WebVitalsBreakdownQuery,
  WebVitalsRow,
} from '../../stats/web-vitals/vitals-breakdown.ts'
import { getWebVitals, WebVitals, WebVitalsQuery } from '../../stats/web-vitals/vitals-overview.ts'
import {
  getWebVitalsTimeseries,
  WebVitalsTimeseries,
  WebVitalsTimeseriesQuery,
} from '../../stats/web-vitals/vitals-timeseries.ts'
import { sharedSiteProcedure } from '../shared-site.ts'

export const webVitalsProcedures = {
  webVitals: sharedSiteProcedure
    .meta({
      section: 'pages',
      path: '/api/sites/:siteKey/stats/web-vitals',
      summary: 'Read how fast pages are',
      description: 'Exact percentiles of what browsers measured, and how much of it is good.',
      answer: 'The numbers of each metric.',
    })
    .input(WebVitalsQuery)
    .output(WebVitals)
    .query(({ ctx, input }) => getWebVitals(ctx, ctx.site, input)),
  webVitalsBreakdown: sharedSiteProcedure
    .meta({
      section: 'pages',
      path: '/api/sites/:siteKey/stats/web-vitals/breakdown',
      summary: 'Break down one of the Web Vitals',
      answer: 'A page of values.',
    })
    .input(WebVitalsBreakdownQuery)
    .output(envelope(WebVitalsRow))
    .query(async ({ ctx, input }) => paginate(ctx, input, await getWebVitalsBreakdown(ctx, ctx.site, input))),
  webVitalsTimeseries: sharedSiteProcedure
    .meta({
      section: 'pages',
      path: '/api/sites/:siteKey/stats/web-vitals/timeseries',
      summary: 'Read one of the Web Vitals over time',
      answer: 'The series, aligned with the labels.',
    })
    .input(WebVitalsTimeseriesQuery)
    .output(WebVitalsTimeseries)
    .query(({ ctx, input }) => getWebVitalsTimeseries(ctx, ctx.site, input)),
  webVitalsAttribution: sharedSiteProcedure
    .meta({
      section: 'pages',
      path: '/api/sites/:siteKey/stats/web-vitals/attribution',
      summary: 'Read why values are poor',
      description: 'Elements and phases that decided poor values, by page, most frequent first.',
      answer: 'A page of causes.',
    })
    .input(WebVitalsAttributionQuery)
    .output(envelope(WebVitalsCause))
    .query(async ({ ctx, input }) =>
      paginate(ctx, input, await getWebVitalsAttribution(ctx, ctx.site, input)),
    ),
}
