import { useFormat } from '../format/format.ts'
import css from './moment.module.css'

/** Day and time in one short line; the year is in the tooltip. */
export function Moment({ at }: { at: string }) {
  const format = useFormat()
  return (
    <time className={css.moment} dateTime={at} title={format.time(at)}>
      {format.bucket(at, 'hour')}
    </time>
  )
}
