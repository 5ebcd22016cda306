import { inSnapshot } from '../../db/connect.ts'
import type { LabelledBucket, Range } from '../../time/range.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import type { FilteredQuery, OptionsOf } from '../sql/filtered-query.ts'
import { readSlices } from '../sql/slices.ts'

/** What is explained: a period of a site, and the parts that it is divided into. */
export interface Explained {
  services: StatsServices
  site: StatsSite
  range: Range
  resolved: ResolvedQuery
  parts: LabelledBucket[]
}

/** Runs a filtered statement, once for each session slice where the database needs that. */
export type Run = <Params, Row extends object>(
  statement: FilteredQuery<Params, Row>,
  resolved: ResolvedQuery,
  ...options: OptionsOf<Params>
) => Promise<Row[]>

/** Calls `read` with a function that runs statements: all in one snapshot, where the database runs several statements at a time. */
export function inOneSnapshot<Result>(
  services: StatsServices,
  read: (run: Run) => Promise<Result>,
): Promise<Result> {
  const { reads, slices } = services
  if (slices)
    return read((statement, resolved, ...options) => readSlices(services, statement, resolved, ...options))
  return inSnapshot(reads, tx =>
    read((statement, resolved, ...options) => statement(tx, resolved, ...options)),
  )
}
