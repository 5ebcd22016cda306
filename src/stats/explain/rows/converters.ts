import type { ConversionTargets } from '../../filters/resolved-query.ts'
import { filteredQuery } from '../../sql/filtered-query.ts'
import { isConvertedByHits } from '../conversions.ts'
import type { Explained } from '../source.ts'
import type { Subject } from '../value-traffic.ts'
import { AFTER, type After, NEWEST_FIRST, type PageParams, pageParams } from './cursor.ts'

/** A visitor who converted, and when last. */
export interface Converter {
  at: Date
  id: string
}

const list = (condition: string) => `select at, id
  from (
    select converted.at, visitors.id::text as id
    from (
      select visitor_no, max(at) as at
      from conversions
      where visitor_no is not null ${condition}
      group by 1
    ) as converted
    join visitors on visitors.visitor_no = converted.visitor_no
  ) as listed
  cross join params
  where ${AFTER}
  ${NEWEST_FIRST}`

const listConverters = filteredQuery<PageParams, Converter>(
  'list-explained-converters',
  ['conversions'],
  list(''),
)
const listConvertersOfHits = filteredQuery<PageParams, Converter>(
  'list-explained-converters-of-hits',
  ['conversions', 'filtered_hits'],
  list('and session_no in (select session_no from filtered_hits where not is_service)'),
)

/** Returns the visitors who converted, those first who converted last. */
export function listExplainedConverters(
  { services, site, resolved }: Explained,
  targets: ConversionTargets,
  { subject, after, limit }: { subject: Subject | undefined; after: After | undefined; limit: number },
): Promise<Converter[]> {
  const statement = subject && isConvertedByHits(subject) ? listConvertersOfHits : listConverters
  return statement(services.reads, resolved, {
    params: pageParams(after, limit),
    targets,
    ...(subject && { value: subject.dimension, values: [subject.value], zone: site.timezone }),
  })
}
