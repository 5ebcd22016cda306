import type { AppRouter } from '../trpc/root.ts'

type Routers = AppRouter['_def']['record']

/** `router.procedure`, for every procedure of the app router. */
export type ProcedureName = {
  [Name in keyof Routers & string]: `${Name}.${keyof Routers[Name] & string}`
}[keyof Routers & string]

export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  path: `/api/${string}`
  procedure: ProcedureName
  /** Status of a successful answer; 204 has no body. */
  ok: 200 | 201 | 204
  /** Status of a successful answer when the resource existed already. */
  existing?: 200
  /** Template of the `Location` of the new resource; `{field}` is replaced by that field of the answer. */
  location?: string
}

/** The REST surface. */
export const routes: readonly Route[] = [
  { method: 'get', path: '/api/sites', procedure: 'sites.list', ok: 200 },
  { method: 'post', path: '/api/sites', procedure: 'sites.create', ok: 201, location: '/api/sites/{id}' },
  { method: 'get', path: '/api/sites/:siteKey', procedure: 'sites.get', ok: 200 },
  { method: 'delete', path: '/api/sites/:siteKey', procedure: 'sites.delete', ok: 204 },
  { method: 'patch', path: '/api/sites/:siteKey/domain', procedure: 'sites.updateDomain', ok: 200 },
  { method: 'patch', path: '/api/sites/:siteKey/timezone', procedure: 'sites.updateTimezone', ok: 200 },
  { method: 'patch', path: '/api/sites/:siteKey/currency', procedure: 'sites.updateCurrency', ok: 200 },
  {
    method: 'patch',
    path: '/api/sites/:siteKey/tracking-mode',
    procedure: 'sites.updateTrackingMode',
    ok: 200,
  },
  { method: 'patch', path: '/api/sites/:siteKey/sharing', procedure: 'sites.updateSharing', ok: 200 },
  { method: 'patch', path: '/api/sites/:siteKey/features', procedure: 'sites.updateFeatures', ok: 200 },
  { method: 'patch', path: '/api/sites/:siteKey/pin', procedure: 'sites.togglePin', ok: 200 },
  {
    method: 'get',
    path: '/api/sites/:siteKey/identify-secret',
    procedure: 'sites.getIdentifySecret',
    ok: 200,
  },
  {
    method: 'put',
    path: '/api/sites/:siteKey/identify-secret',
    procedure: 'sites.rotateIdentifySecret',
    ok: 200,
  },
  {
    method: 'delete',
    path: '/api/sites/:siteKey/identify-secret',
    procedure: 'sites.removeIdentifySecret',
    ok: 204,
  },
  { method: 'get', path: '/api/sites/:siteKey/overview', procedure: 'stats.overview', ok: 200 },
  { method: 'get', path: '/api/sites/:siteKey/stats/timeseries', procedure: 'stats.timeseries', ok: 200 },
  { method: 'get', path: '/api/sites/:siteKey/stats/breakdown', procedure: 'stats.breakdown', ok: 200 },
  { method: 'get', path: '/api/sites/:siteKey/stats/goals', procedure: 'stats.goals', ok: 200 },
  { method: 'get', path: '/api/sites/:siteKey/stats/events', procedure: 'stats.events', ok: 200 },
  {
    method: 'get',
    path: '/api/sites/:siteKey/stats/events/timeseries',
    procedure: 'stats.eventsTimeseries',
    ok: 200,
  },
  {
    method: 'get',
    path: '/api/sites/:siteKey/stats/events/property-breakdown',
    procedure: 'stats.propertyBreakdown',
    ok: 200,
  },
  { method: 'get', path: '/api/sites/:siteKey/stats/page-titles', procedure: 'stats.pageTitles', ok: 200 },
  {
    method: 'get',
    path: '/api/sites/:siteKey/stats/page-titles/timeseries',
    procedure: 'stats.pageTitlesTimeseries',
    ok: 200,
  },
  {
    method: 'get',
    path: '/api/sites/:siteKey/stats/filter-values',
    procedure: 'stats.filterValues',
    ok: 200,
  },
  { method: 'get', path: '/api/sites/:siteKey/stats/errors', procedure: 'stats.errors', ok: 200 },
  { method: 'get', path: '/api/sites/:siteKey/stats/errors/:error', procedure: 'stats.error', ok: 200 },
  {
    method: 'get',
    path: '/api/sites/:siteKey/stats/errors/:error/timeseries',
    procedure: 'stats.errorTimeseries',
    ok: 200,
  },
  {
    method: 'get',
    path: '/api/sites/:siteKey/stats/errors/:error/events',
    procedure: 'stats.errorEvents',
    ok: 200,
  },
  { method: 'get', path: '/api/sites/:siteKey/goals', procedure: 'goals.list', ok: 200 },
  { method: 'post', path: '/api/sites/:siteKey/goals', procedure: 'goals.create', ok: 201 },
  // Must come before `/goals/:goal`, which would match this path otherwise. No goal has the key `batch`.
  { method: 'post', path: '/api/sites/:siteKey/goals/batch', procedure: 'goals.createBatch', ok: 200 },
  { method: 'patch', path: '/api/sites/:siteKey/goals/:goal', procedure: 'goals.update', ok: 200 },
  { method: 'delete', path: '/api/sites/:siteKey/goals/:goal', procedure: 'goals.delete', ok: 204 },
  { method: 'get', path: '/api/sites/:siteKey/payments', procedure: 'payments.list', ok: 200 },
  {
    method: 'post',
    path: '/api/sites/:siteKey/payments',
    procedure: 'payments.record',
    ok: 201,
    existing: 200,
  },
  { method: 'delete', path: '/api/sites/:siteKey/payments', procedure: 'payments.delete', ok: 200 },
  { method: 'get', path: '/api/sites/:siteKey/processor', procedure: 'processor.get', ok: 200 },
  { method: 'put', path: '/api/sites/:siteKey/processor', procedure: 'processor.connect', ok: 200 },
  { method: 'delete', path: '/api/sites/:siteKey/processor', procedure: 'processor.disconnect', ok: 204 },
  { method: 'get', path: '/api/timezones', procedure: 'options.timezones', ok: 200 },
  { method: 'get', path: '/api/currencies', procedure: 'options.currencies', ok: 200 },
  { method: 'get', path: '/api/tokens', procedure: 'tokens.list', ok: 200 },
  { method: 'post', path: '/api/tokens', procedure: 'tokens.create', ok: 201 },
  { method: 'delete', path: '/api/tokens/:id', procedure: 'tokens.revoke', ok: 204 },
]
