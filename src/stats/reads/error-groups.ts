import { z } from 'zod'
import { isUuid } from '../../access/sites/domain.ts'
import { query } from '../../platform/db/query.ts'
import { ERRORS } from '../../platform/dimensions/rolled-up.ts'
import { AppError } from '../../platform/errors.ts'
import { count, label, timestamp, uuid } from '../../platform/schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../platform/schema/pagination.ts'
import { groupField } from '../../platform/time/range.ts'
import { runTask } from '../../storage/rollups/protocol.ts'
import { actorFields, presentActor } from '../event-log/actor.ts'
import { type LogServices, readLog } from '../event-log/log-pages.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { countRolledUp, rankRolledUp } from '../metrics/rank.ts'
import { countUntilRolledUp } from '../metrics/rolled-up.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { mayShow } from '../sharing/grant.ts'
import { countTypes, presentTypes } from './events-timeseries.ts'
import { Group, Labels } from './timeseries.ts'

const DEFAULT_PER_PAGE = 20

export const ErrorsQuery = StatsQuery.safeExtend(pageFields(DEFAULT_PER_PAGE))
export type ErrorsQuery = z.infer<typeof ErrorsQuery>

const errorField = { error: uuid('Fingerprint of the error.') }
export const ErrorQuery = StatsQuery.safeExtend(errorField)
export type ErrorQuery = z.infer<typeof ErrorQuery>
export const ErrorTimeseriesQuery = ErrorQuery.safeExtend(groupField)
export type ErrorTimeseriesQuery = z.infer<typeof ErrorTimeseriesQuery>
export const OccurrencesQuery = StatsQuery.safeExtend({ ...errorField, ...pageFields(DEFAULT_PER_PAGE) })
export type OccurrencesQuery = z.infer<typeof OccurrencesQuery>

const OF_ALL_TIME =
  'whatever the range and the filters; null for readers of a share with filters, and when its history was deleted.'

/** @see docs/metrics.md "Errors" */
export const ErrorGroup = z
  .object({
    id: uuid('Fingerprint: made of the site and the exact message.'),
    message: label('What was thrown.', 'x is undefined'),
    error_name: label('Its type; `Error` when none was captured.', 'TypeError'),
    occurrences: count('How often it occurred in the range.', 12),
    sessions: count('Distinct sessions in which it did.', 9),
    visitors: count('Distinct visitors to whom it did.', 8),
    first_seen: timestamp(`When it occurred first, ${OF_ALL_TIME}`).nullable(),
    last_seen: timestamp(`When it occurred last, ${OF_ALL_TIME}`).nullable(),
  })
  .meta({ id: 'ErrorGroup' })
export type ErrorGroup = z.infer<typeof ErrorGroup>

export const ErrorTimeseries = z.object({
  labels: Labels,
  types: z.tuple([z.literal('error')]).meta({ description: 'What `series` holds.' }),
  series: z
    .object({
      error: z.array(z.int()).meta({ description: 'Occurrences in each bucket.', example: [4, 8] }),
    })
    .meta({ description: 'One series.' }),
  group: Group,
})
export type ErrorTimeseries = z.infer<typeof ErrorTimeseries>

/** @see docs/metrics.md "Errors" */
export const ErrorOccurrence = z
  .object({
    event_name: label('Type of the error; `Error` when none was captured.', 'TypeError'),
    ...actorFields,
    message: label('What was thrown.', 'x is undefined'),
    stack: label(
      'Stack trace; empty when none was captured, null for readers without the section `stacks`.',
      'at pay (https://example.com/app.js:12:7)',
    ).nullable(),
    file_name: label('Where it was thrown.', 'https://example.com/app.js'),
    line_number: label('In that file.', '12'),
    column_number: label('In that line.', '7'),
  })
  .meta({ id: 'ErrorOccurrence' })
export type ErrorOccurrence = z.infer<typeof ErrorOccurrence>

/** Message and name of errors, whatever the time of their occurrences. */
const findErrorGroups = query<
  { siteNo: number; ids: string[] },
  { id: string; message: string; error_name: string }
>(
  'find-error-groups',
  `select error_id as id, message, name as error_name
  from error_groups
  where site_no = :siteNo::int and error_id = any(:ids::uuid[])`,
)

/** Returns the errors in the range, most frequent first; ties by sessions, then by id. */
export async function getErrors(
  services: StatsServices,
  site: StatsSite,
  query: ErrorsQuery,
): Promise<Page<ErrorGroup>> {
  const { resolved } = await resolveContext(services, site, query)
  const params = windowOf(query)
  const rolledUp = await rankRolledUp(services, resolved, {
    dimension: ERRORS,
    by: ['hits', 'sessions'],
    shown: ['hits'],
    countsVisitors: true,
    ...params,
  })
  const { rows, total } =
    rolledUp ?? (await countUntilRolledUp(services, resolved, 'errorPage', params, { dimension: ERRORS }))
  const ids = rows.map(({ value }) => value)
  const known = ids.length > 0 ? await findErrorGroups(services.reads, { siteNo: site.siteNo, ids }) : []
  const byId = new Map(known.map(group => [group.id, group]))
  const seen = await findSeen(services, site, ids)
  return {
    rows: rows.map(({ value, hits, sessions, visitors }) => ({
      ...byId.get(value)!,
      occurrences: hits,
      sessions,
      visitors,
      ...seen(value),
    })),
    total,
  }
}

/**
 * Returns one error, even if it did not occur in the range.
 * @throws AppError `not_found` for an invalid id, an error of another site, or an error that never occurred
 */
export async function getError(
  services: StatsServices,
  site: StatsSite,
  { error, ...query }: ErrorQuery,
): Promise<ErrorGroup> {
  const known = await requireError(services, site, error)
  const { resolved } = await resolveContext(services, site, query)
  const counts = await countError(services, resolved, known.id)
  requireOccurring(services, counts.occurrences)
  const seen = await findSeen(services, site, [known.id])
  return { ...known, id: error, ...counts, ...seen(known.id) }
}

/** Returns when errors occurred first and last; nothing for a share with filters, which may show only a part of their occurrences. */
async function findSeen(
  { rollups, grant }: StatsServices,
  { siteNo }: StatsSite,
  ids: string[],
): Promise<(id: string) => Pick<ErrorGroup, 'first_seen' | 'last_seen'>> {
  const isCut = grant !== null && grant.filters.length > 0
  const ends =
    ids.length === 0 || isCut ? undefined : await runTask(rollups, 'findErrorEnds', { siteNo, ids })
  return id => {
    const found = ends?.get(id)
    return {
      first_seen: found ? new Date(found.first).toISOString() : null,
      last_seen: found ? new Date(found.last).toISOString() : null,
    }
  }
}

async function countError(services: StatsServices, resolved: ResolvedQuery, errorId: string) {
  const kept = keptPart(resolved)
  const rolledUp = await countRolledUp(services, kept, ERRORS, [errorId], { withVisitors: true })
  const [counts] =
    rolledUp ?? (await countUntilRolledUp(services, kept, 'errors', { errorId }, { dimension: ERRORS }))
  const { hits = 0, sessions = 0, visitors = 0 } = counts ?? {}
  return { occurrences: hits, sessions, visitors }
}

/** @throws as `getError` */
export async function getErrorTimeseries(
  services: StatsServices,
  site: StatsSite,
  { error, ...query }: ErrorTimeseriesQuery,
): Promise<ErrorTimeseries> {
  const { id: errorId } = await requireError(services, site, error)
  const { range, resolved } = await resolveContext(services, site, query)
  const counted = await countTypes(services, resolved, range, { types: ['error'], errorId })
  const { labels, series, group } = presentTypes(range, ['error'], counted)
  requireOccurring(services, series.error ? 1 : 0)
  return { labels, types: ['error'], series: { error: series.error ?? labels.map(() => 0) }, group }
}

/**
 * Returns the occurrences of the error, the newest first.
 * @throws as `getError`
 */
export async function getErrorOccurrences(
  services: LogServices,
  site: StatsSite,
  { error, ...query }: OccurrencesQuery,
): Promise<Page<ErrorOccurrence>> {
  const { id: errorId } = await requireError(services, site, error)
  const { resolved } = await resolveContext(services, site, query)
  const { rows, total } = await readLog(services, resolved, query, {
    types: ['error'],
    errorId,
  })
  requireOccurring(services, total)
  return {
    rows: rows.map(row => ({
      event_name: row.name,
      ...presentActor(row, site, services),
      message: row.errorMessage ?? '',
      stack: mayShow(services.grant, 'stacks') ? (row.errorStack ?? '') : null,
      file_name: row.errorFile ?? '',
      line_number: row.errorLine ?? '',
      column_number: row.errorColumn ?? '',
    })),
    total,
  }
}

/**
 * With a share that has filters, an error that does not occur in what it shows is unknown: the share would tell its message.
 * @throws AppError `not_found`
 */
function requireOccurring({ grant }: StatsServices, occurrences: number): void {
  if (occurrences === 0 && grant && grant.filters.length > 0) throw noSuchError()
}

const noSuchError = () => new AppError('not_found', 'No such error')

/** Returns the error with its fingerprint as it is stored: requests may write it in either case. */
async function requireError({ reads }: StatsServices, site: StatsSite, id: string) {
  const [known] = isUuid(id) ? await findErrorGroups(reads, { siteNo: site.siteNo, ids: [id] }) : []
  if (!known) throw noSuchError()
  return known
}
