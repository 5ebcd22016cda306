import { useStats } from '../../api/use-stats.ts'
import { useAddress } from '../../state/address.ts'
import { useQuestion } from '../../state/site.tsx'
import { EVENT_TYPES, type EventType } from '../../visits/event-mark.tsx'

/** Without a choice: all but pageviews, which other pages are about. */
const USUAL = EVENT_TYPES.filter(type => type !== 'pageview')

interface Types {
  chosen: readonly EventType[]
  toggle(type: EventType): void
}

/** The types of events that the page shows, kept in the address. */
export function useTypes(): Types {
  const { params, change } = useAddress()
  const given = params.get('types')?.split(',')
  const chosen = given ? EVENT_TYPES.filter(type => given.includes(type)) : USUAL
  return {
    chosen,
    toggle(type) {
      const next = EVENT_TYPES.filter(each => (each === type) !== chosen.includes(each))
      const isUsual = next.length === USUAL.length && !next.includes('pageview')
      change({ types: isUsual ? null : next.join(','), page: null })
    },
  }
}

/** All types over time; which of them are shown is decided by the page, so that choosing one costs no request. */
export function useEventSeries() {
  const { input } = useQuestion()
  return useStats('eventsTimeseries', input)
}

/** So many names are shown. */
export const MOST_NAMES = 12

/** Events of the period by name, without the filter on names: they stay to choose from, whichever is chosen. */
export function useEventNames() {
  const { input } = useQuestion()
  const { event_name: _, ...others } = input
  // Pageviews have no name, and take a row.
  const query = { ...others, dimension: 'event_name' as const, per_page: MOST_NAMES + 1 }
  return useStats('breakdown', query)
}
