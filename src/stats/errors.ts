import { z } from 'zod'
import { AppError } from '../errors.ts'
import { statement } from '../infra/db.ts'
import { count, label, uuid } from '../infra/fields.ts'
import { type Page, pageFields, windowOf } from '../infra/pagination.ts'
import { ERRORS } from '../rollups/daily/dimensions.ts'
import type { RankedValue } from '../rollups/protocol.ts'
import { isUuid } from '../sites/domain.ts'
import { type Actor, actorFields, type Presenting, presentActor } from './actor.ts'
import { countTypes } from './event-types.ts'
import { StatsQuery } from './filters/query.ts'
import { readFiltered } from './filters/rows.ts'
import { type LogServices, readLog } from './log-pages.ts'
import { readQuestion, type StatsServices, type StatsSite } from './question.ts'
import { pageOf } from './ranking.ts'
import { rankRolledUp } from './rolled-up.ts'
import { Group, Labels } from './timeseries.ts'

const DEFAULT_PER_PAGE = 20

export const ErrorsQuery = StatsQuery.safeExtend(pageFields(DEFAULT_PER_PAGE))
export type ErrorsQuery = z.infer<typeof ErrorsQuery>

const errorField = { error: uuid('Fingerprint of the error.') }
export const ErrorQuery = StatsQuery.safeExtend(errorField)
export type ErrorQuery = z.infer<typeof ErrorQuery>
export const OccurrencesQuery = StatsQuery.safeExtend({ ...errorField, ...pageFields(DEFAULT_PER_PAGE) })
export type OccurrencesQuery = z.infer<typeof OccurrencesQuery>

/** @see spec.md "Error group" */
export const ErrorGroup = z
  .object({
    id: uuid('Fingerprint: made of the site and the exact message.'),
    message: label('What was thrown.', 'x is undefined'),
    error_name: label('Its type; `Error` when none was captured.', 'TypeError'),
    occurrences: count('How often it occurred in the range.', 12),
    sessions: count('Distinct sessions in which it did.', 9),
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

/** @see spec.md "Error occurrence" */
export const ErrorOccurrence = z
  .object({
    event_name: label('Type of the error; `Error` when none was captured.', 'TypeError'),
    ...actorFields,
    message: label('What was thrown.', 'x is undefined'),
    stack: label('Stack trace; empty when none was captured.', 'at pay (https://example.com/app.js:12:7)'),
    file_name: label('Where it was thrown.', 'https://example.com/app.js'),
    line_number: label('In that file.', '12'),
    column_number: label('In that line.', '7'),
  })
  .meta({ id: 'ErrorOccurrence' })
export type ErrorOccurrence = z.infer<typeof ErrorOccurrence>

interface KnownError {
  message: string
  name: string
}

interface LoggedError extends Actor {
  name: string
  errorMessage: string | null
  errorStack: string | null
  errorFile: string | null
  errorLine: string | null
  errorColumn: string | null
}

const findErrorGroup = statement<KnownError>('find-error-group')
const findErrorGroups = statement<KnownError & { id: string }>('find-error-groups')

/** Returns the errors in the range, most frequent first; ties by sessions, then by id. */
export async function getErrors(
  services: StatsServices,
  site: StatsSite,
  query: ErrorsQuery,
): Promise<Page<ErrorGroup>> {
  const { scope } = await readQuestion(services, site, query)
  const rolledUp = await rankRolledUp(services, scope, {
    dimension: ERRORS,
    by: ['hits', 'sessions'],
    shown: ['hits'],
    ...windowOf(query),
  })
  if (rolledUp) return { rows: await presentRolledUp(services, site, rolledUp.rows), total: rolledUp.total }
  const ranked = await readFiltered<
    KnownError & { id: string; occurrences: number; sessions: number; total: number }
  >(services.reads, 'rank-filtered-errors', scope, { asked: { ...windowOf(query), site_no: site.siteNo } })
  const { rows, total } = pageOf(ranked, 'id')
  return {
    rows: rows.map(({ id, message, name, occurrences, sessions }) => ({
      id,
      message,
      error_name: name,
      occurrences,
      sessions,
    })),
    total,
  }
}

async function presentRolledUp(
  { reads }: StatsServices,
  { siteNo }: StatsSite,
  rows: RankedValue[],
): Promise<ErrorGroup[]> {
  const known = await findErrorGroups(
    reads,
    siteNo,
    rows.map(({ value }) => value),
  )
  const byId = new Map(known.map(group => [group.id, group]))
  return rows.map(({ value: id, hits, sessions }) => {
    const { message, name } = byId.get(id)!
    return { id, message, error_name: name, occurrences: hits, sessions }
  })
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
  const { scope } = await readQuestion(services, site, query)
  const [counts] = await readFiltered<{ occurrences: number; sessions: number }>(
    services.reads,
    'count-filtered-error',
    scope,
    { errorId: error },
  )
  return { id: error, message: known.message, error_name: known.name, ...counts! }
}

/** @throws as `getError` */
export async function getErrorTimeseries(
  services: StatsServices,
  site: StatsSite,
  { error, ...query }: ErrorQuery,
): Promise<ErrorTimeseries> {
  await requireError(services, site, error)
  const { range, scope } = await readQuestion(services, site, query)
  const { labels, series, group } = await countTypes(services, scope, range, {
    types: ['error'],
    errorId: error,
  })
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
  await requireError(services, site, error)
  const { scope } = await readQuestion(services, site, query)
  const { rows, total } = await readLog<LoggedError>(services, scope, query, {
    types: ['error'],
    errorId: error,
  })
  return { rows: rows.map(row => presentOccurrence(row, site.siteNo, services.config)), total }
}

async function requireError({ reads }: StatsServices, site: StatsSite, id: string): Promise<KnownError> {
  const [known] = isUuid(id) ? await findErrorGroup(reads, site.siteNo, id) : []
  if (!known) throw new AppError('not_found', 'No such error')
  return known
}

const presentOccurrence = (row: LoggedError, siteNo: number, config: Presenting): ErrorOccurrence => ({
  event_name: row.name,
  ...presentActor(row, siteNo, config),
  message: row.errorMessage ?? '',
  stack: row.errorStack ?? '',
  file_name: row.errorFile ?? '',
  line_number: row.errorLine ?? '',
  column_number: row.errorColumn ?? '',
})
