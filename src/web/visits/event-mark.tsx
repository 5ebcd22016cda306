import { useText } from '../text/text.tsx'
import css from './event-mark.module.css'
import type { EventType } from './event-types.ts'

/** Says what kind of event something is. */
export function EventMark({ type }: { type: EventType }) {
  const { events } = useText()
  return (
    <span className={type === 'error' ? `${css.mark} ${css.error}` : css.mark}>{events.types[type]}</span>
  )
}
