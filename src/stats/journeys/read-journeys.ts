import { isHitDimension } from '../../dimensions/dimensions.ts'
import { type Grant, requireSection } from '../../sharing/grant.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { keptPart } from '../filters/resolved-query.ts'
import { fetchBlocks, type HitPart, MOST_MOMENTS } from '../moments/fetch-blocks.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import type { JourneyTasks } from './follow.ts'
import type { Journeys, JourneysQuery } from './query.ts'

const packJourneyHits = filteredQuery<
  { mostMoments: number },
  { part: number; hits: number; moments: Buffer | null; times: Buffer | null; texts: Buffer | null }
>('pack-journey-hits', ['journey_hits'])

const TOO_MANY = `The sessions of this range with the value have more than ${MOST_MOMENTS} hits: ask for a shorter range`

/**
 * Returns which way sessions go from a value, or came to it.
 * @throws AppError `forbidden` for a reader who may not see pages, or events; `validation_failed` for too many hits
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
  const isNarrowed = hidesHits(services.grant)
  const asked = { by, value, isBackwards, isNarrowed, steps, branches }
  const direction = isBackwards ? 'to' : 'from'
  const counted = await countAsked(services, resolved, 'journeys', asked)
  if (counted) return { by, direction, value, steps: counted }
  const blocks = await fetchBlocks<HitPart>(
    services,
    packJourneyHits,
    resolved,
    { journey: { by, value, isNarrowed } },
    TOO_MANY,
  )
  const input = { blocks, value, isBackwards, steps, branches }
  const followed = await services.patterns.enter(
    site.teamId,
    services.signal,
    () =>
      services.patterns.run('followJourneys', input, services.signal) as Promise<
        JourneyTasks['followJourneys']['output']
      >,
  )
  return { by, direction, value, steps: followed }
}

/** A share that keeps only some hits shows no others. */
const hidesHits = (grant: Grant | null) =>
  grant?.filters.some(({ dimension }) => isHitDimension(dimension)) ?? false
