import { isHitDimension } from '../../dimensions/dimensions.ts'
import { HOUR_OF_WEEK } from '../../dimensions/registry.ts'
import { boundsOf } from '../../time/range.ts'
import type { ConversionTargets } from '../filters/resolved-query.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { type PartRow, type Term, uniteVisitors } from './parts.ts'
import { type Explained, inOneSnapshot } from './source.ts'
import type { Subject } from './value-traffic.ts'

const CONVERTED = `select
    width_bucket(at, (select bounds from params)) - 1 as bucket,
    array_send(array_agg(distinct visitor_no) filter (where visitor_no is not null)) as visitors
  from conversions`

/** Visitors by the part of the range in which they converted. */
const explainConverters = filteredQuery<{ bounds: Date[] }, PartRow>(
  'explain-converters',
  ['conversions'],
  `${CONVERTED} group by 1`,
)
/** The same in sessions that have a filtered hit with the value. */
const explainConvertersOfHits = filteredQuery<{ bounds: Date[] }, PartRow>(
  'explain-converters-of-hits',
  ['conversions', 'filtered_hits'],
  `${CONVERTED}
  where session_no in (select session_no from filtered_hits where not is_service)
  group by 1`,
)

export const isConvertedByHits = ({ dimension }: Subject): boolean =>
  dimension === HOUR_OF_WEEK || isHitDimension(dimension)

/** Returns the distinct visitors that converted, of a row of a breakdown those of its value. */
export async function explainConverting(
  { services, site, resolved, parts }: Explained,
  targets: ConversionTargets,
  subject?: Subject,
): Promise<Term> {
  if (parts.length === 0) return uniteVisitors([], 0)
  const options = {
    params: { bounds: boundsOf(parts) },
    targets,
    ...(subject && { value: subject.dimension, values: [subject.value], zone: site.timezone }),
  }
  const statement = subject && isConvertedByHits(subject) ? explainConvertersOfHits : explainConverters
  const rows = await inOneSnapshot(services, run => run(statement, resolved, options))
  return uniteVisitors(rows, parts.length)
}
