import { Link } from 'wouter'
import type { Outputs } from '../api/client.ts'
import { useFormat } from '../format/format.ts'
import { HostileText } from '../parts/hostile-text.tsx'
import { type Column, DataTable, usePermitted } from '../parts/lists/data-table.tsx'
import { useLinks } from '../state/address.ts'
import { useSite } from '../state/site.tsx'
import { useText } from '../text/text.tsx'
import { Moment, Place, useDeviceText } from './cells.tsx'
import { EventMark, hasOwnName } from './event-mark.tsx'
import { Properties } from './properties.tsx'
import css from './visits.module.css'
import { Who } from './who.tsx'

type Event = Outputs['stats']['events']['data'][number]
type Row = Event & { key: string }

interface Props {
  label: string
  events: readonly Event[]
  /** Whether their day goes without saying. */
  isOfToday?: boolean
}

/** Events as a list: what happened, on which page, who did it, and in which visit. */
export function EventTable({ label, events, isOfToday = false }: Props) {
  const columns = useColumns(isOfToday)
  return <DataTable label={label} columns={columns} rows={withKeys(events)} keyOf={({ key }) => key} isEven />
}

/** Events have no id: what they are says which is which, so that rows stay when newer ones come. */
function withKeys(events: readonly Event[]): Row[] {
  const times = new Map<string, number>()
  return events.map(event => {
    const name = [event.timestamp, event.visitor_id, event.event_type, event.event_name, event.path].join(' ')
    const time = times.get(name) ?? 0
    times.set(name, time + 1)
    return { ...event, key: `${name} ${time}` }
  })
}

function useColumns(isOfToday: boolean): Column<Row>[] {
  const { events, filters, people } = useText()
  const deviceText = useDeviceText()
  return usePermitted<Row, string>([
    { name: 'what', label: events.name, cell: row => <What event={row} /> },
    {
      name: 'page',
      label: events.page,
      isWide: true,
      needs: 'pages',
      cell: ({ path }) => <HostileText>{path || '–'}</HostileText>,
    },
    {
      name: 'who',
      label: people.who,
      // Times of other days need the room.
      isWide: !isOfToday,
      needs: 'people',
      cell: row => <Who actor={row} />,
    },
    {
      name: 'place',
      label: filters.names.country,
      isWide: true,
      needs: 'locations',
      cell: ({ country }) => <Place country={country} />,
    },
    {
      name: 'device',
      label: people.device,
      isWide: true,
      needs: 'devices',
      cell: row => <HostileText>{deviceText({ ...row, os: '' })}</HostileText>,
    },
    {
      name: 'time',
      label: events.when,
      isNumber: true,
      cell: row => <When event={row} isOfToday={isOfToday} />,
    },
  ])
}

function What({ event }: { event: Event }) {
  const { can } = useSite()
  const linkTo = useLinks()
  const name = <HostileText>{event.event_name}</HostileText>
  return (
    <div className={css.what}>
      <div className={css.line}>
        <EventMark type={event.event_type} />
        {hasOwnName(event.event_type) && (
          <strong className={css.name}>
            {event.error_id && can('errors') ? (
              <Link href={linkTo(`/errors/${event.error_id}`)}>{name}</Link>
            ) : (
              name
            )}
          </strong>
        )}
      </div>
      <Properties of={event.properties} event={event.event_name} />
    </div>
  )
}

/** The time leads to the visit. */
function When({ event: { timestamp, session_id }, isOfToday }: { event: Event; isOfToday: boolean }) {
  const format = useFormat()
  const linkTo = useLinks()
  const time = isOfToday ? (
    <time dateTime={timestamp} title={format.time(timestamp)}>
      {format.clock(timestamp)}
    </time>
  ) : (
    <Moment at={timestamp} />
  )
  return session_id ? (
    <Link href={linkTo(`/sessions/${session_id}`)} className={css.time}>
      {time}
    </Link>
  ) : (
    time
  )
}
