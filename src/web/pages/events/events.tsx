import { CardGrid } from '../../parts/card.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { EventLog } from './event-log.tsx'
import { EventNames } from './event-names.tsx'
import { EventSeries } from './event-series.tsx'
import { PropertyValues } from './property-values.tsx'
import { useEventSeries } from './use-types.ts'

/** Events of the period: how many of which type and name, what they carried, and each of them. */
export default function Events() {
  const { common } = useText()
  const { filters } = useQuestion()
  const series = useEventSeries()
  const named = filters.find(({ name, operator }) => name === 'event_name' && operator === 'is')
  const chosen = named?.values.length === 1 ? named.values[0] : undefined
  return (
    <>
      <h1 className="only-read">{common.nav.events}</h1>
      <EventSeries read={series} />
      <CardGrid>
        <EventNames chosen={named?.values ?? []} />
        <PropertyValues chosen={chosen} series={series} />
        <EventLog />
      </CardGrid>
    </>
  )
}
