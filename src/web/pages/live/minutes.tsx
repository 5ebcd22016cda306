import type { Outputs } from '../../api/types.ts'
import { useFormat } from '../../format/format.ts'
import { useText } from '../../text/text.tsx'
import css from './live.module.css'

/** Visitors of each of the last minutes as bars; the last one is still running. */
export function Minutes({ minutes }: { minutes: Outputs['stats']['live']['minutes'] }) {
  const { common, explore } = useText()
  const { exact, axis } = useFormat()
  const { live: text } = explore
  const most = Math.max(1, ...minutes.map(({ visitors }) => visitors))
  const time = (start: string) => axis(start, 'hour')
  const [first, last] = [minutes[0], minutes.at(-1)]
  return (
    <figure className={css.minutes} aria-label={text.minutes}>
      <div className={css.bars} aria-hidden="true">
        {minutes.map(({ start, visitors, pageviews }) => (
          <span
            key={start}
            className={css.slot}
            title={text.minute(time(start), exact(visitors), exact(pageviews))}
          >
            <i
              className={start === last?.start ? `${css.bar} ${css.running}` : css.bar}
              style={{ height: `${(100 * visitors) / most}%` }}
            />
          </span>
        ))}
      </div>
      <figcaption className={css.axis}>
        <span>{first && time(first.start)}</span>
        <span>{text.minutesHint}</span>
        <span>{last && time(last.start)}</span>
      </figcaption>
      <div className="only-read">
        <table>
          <caption>{common.table(text.minutes)}</caption>
          <thead>
            <tr>
              <th scope="col">{text.time}</th>
              <th scope="col">{common.short.visitors}</th>
              <th scope="col">{common.metrics.pageviews}</th>
            </tr>
          </thead>
          <tbody>
            {minutes.map(({ start, visitors, pageviews }) => (
              <tr key={start}>
                <th scope="row">{time(start)}</th>
                <td>{exact(visitors)}</td>
                <td>{exact(pageviews)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
