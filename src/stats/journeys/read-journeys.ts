import { isHitDimension } from '../../platform/dimensions/dimensions.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { keptPart } from '../filters/resolved-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { type Grant, requireSection } from '../sharing/grant.ts'
import type { Journeys, JourneysQuery } from './journeys-query.ts'

/**
 * Returns which way sessions go from a value, or came to it.
 * @throws AppError `forbidden` for a reader who may not see pages, or events
 */
export async function readJourneys(
  services: StatsServices,
  site: StatsSite,
  { by, starting_at: start, ending_at: end, steps, branches, ...query }: JourneysQuery,
): Promise<Journeys> {
  requireSection(services.grant, by === 'event_name' ? 'events' : 'pages')
  const { resolved: whole } = await resolveContext(services, site, query)
  const resolved = keptPart(whole)
  const value = (start ?? end)!
  const isBackwards = start === undefined
  const counted = await countAsked(services, resolved, 'journeys', {
    ...{ by, value, isBackwards, steps, branches },
    isNarrowed: hidesHits(services.grant),
  })
  return { by, direction: isBackwards ? 'to' : 'from', value, steps: counted }
}

/** A share that keeps only some hits shows no others. */
const hidesHits = (grant: Grant | null) =>
  grant?.filters.some(({ dimension }) => isHitDimension(dimension)) ?? false
