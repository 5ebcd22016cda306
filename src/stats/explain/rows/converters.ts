import type { ConversionTargets } from '../../filters/resolved-query.ts'
import { filteredQuery } from '../../sql/filtered-query.ts'
import { isConvertedByHits } from '../conversions.ts'
import type { Explained } from '../source.ts'
import type { Subject } from '../value-traffic.ts'
import { type After, type PageParams, pageParams } from './cursor.ts'

/** A visitor who converted, and when last. */
export interface Converter {
  at: Date
  id: string
}

const listExplainedConverters = filteredQuery<PageParams, Converter>('list-explained-converters', [
  'conversions',
])
const listExplainedConvertersOfHits = filteredQuery<PageParams, Converter>(
  'list-explained-converters-of-hits',
  ['conversions', 'filtered_hits'],
)

/** Returns the visitors who converted, those first who converted last. */
export function listCountedConverters(
  { services, site, resolved }: Explained,
  targets: ConversionTargets,
  { subject, after, limit }: { subject: Subject | undefined; after: After | undefined; limit: number },
): Promise<Converter[]> {
  const statement =
    subject && isConvertedByHits(subject) ? listExplainedConvertersOfHits : listExplainedConverters
  return statement(services.reads, resolved, {
    params: pageParams(after, limit),
    targets,
    ...(subject && { value: subject.dimension, values: [subject.value], zone: site.timezone }),
  })
}
