import type { Outputs } from '../api/client.ts'
import { useText } from '../text/text.tsx'
import css from './visits.module.css'

/** Says what kind of event something is. */
export function EventMark({ type }: { type: EventType }) {
  const { events } = useText()
  return (
    <span className={type === 'error' ? `${css.mark} ${css.error}` : css.mark}>{events.types[type]}</span>
  )
}

export type EventType = Outputs['stats']['events']['data'][number]['event_type']

/** Types of events in the order in which they are shown. Checked by types: none of the API's is missing. */
const ORDER = {
  event: 0,
  pageview: 1,
  outbound: 2,
  download: 3,
  button: 4,
  form: 5,
  copy: 6,
  error: 7,
} as const satisfies Record<EventType, number>

export const EVENT_TYPES = Object.keys(ORDER) as EventType[]

/** Types that trackers record by themselves; their hits have no name of their own. */
export const hasOwnName = (type: EventType): boolean => type === 'event' || type === 'error'
