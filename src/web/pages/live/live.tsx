import { useRef } from 'react'
import { api, type Outputs } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { useValueText } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { Card, CardGrid } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { RankList } from '../../parts/lists/rank-list.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { EventTable } from '../../visits/event-table.tsx'
import css from './live.module.css'

/** The frame asks the same less often; of the same key there is one request for both. */
const EVERY_MS = 5_000

/** Who is on the site at the moment. */
export default function Live() {
  const { common } = useText()
  const { id } = useSite()
  const live = useRead(['live', id], signal => api.stats.live.query({ siteKey: id }, { signal }), {
    every: EVERY_MS,
  })
  return (
    <>
      <h1 className="only-read">{common.nav.live}</h1>
      <div className={css.page}>
        <Answer read={live}>{data => <Present live={data} />}</Answer>
      </div>
    </>
  )
}

function Present({ live }: { live: Outputs['stats']['live'] }) {
  const {
    explore: { live: text },
    filters,
  } = useText()
  const { exact } = useFormat()
  const { can } = useSite()
  return (
    <>
      <Card>
        <div className={css.now}>
          <div>
            <h2 className={css.label}>{text.now}</h2>
            <p className={css.number} data-now={live.visitors} aria-live="polite">
              {exact(live.visitors)}
            </p>
            <p className={css.hint}>{text.nowHint}</p>
          </div>
          <Minutes minutes={live.minutes} />
        </div>
      </Card>
      <CardGrid columns={3}>
        {can('pages') && (
          <PresentValues title={text.pages} name="path" head={filters.names.path} rows={live.pages} />
        )}
        {can('sources') && (
          <PresentValues title={text.sources} name="source" head={filters.names.source} rows={live.sources} />
        )}
        {can('locations') && (
          <PresentValues
            title={text.countries}
            name="country"
            head={filters.names.country}
            rows={live.countries}
          />
        )}
        {can('events') && (
          <Card title={text.events} isWide>
            {live.events.length === 0 ? (
              <Empty title={text.noEvents} />
            ) : (
              <EventTable label={text.events} events={live.events} isOfToday />
            )}
          </Card>
        )}
      </CardGrid>
    </>
  )
}

/** Visitors of each of the last minutes as bars; the last one is still running. */
function Minutes({ minutes }: { minutes: Outputs['stats']['live']['minutes'] }) {
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

interface Props {
  title: string
  head: string
  name: 'path' | 'source' | 'country'
  rows: Outputs['stats']['live']['pages']
}

const FEWEST = 4
/** Height of a row, in pixels. */
const ROW = 35

/** Values of the visits of this moment. The list grows and never shrinks, so that nothing below it jumps. */
function PresentValues({ title, head, name, rows }: Props) {
  const { common, explore } = useText()
  const { exact } = useFormat()
  const textOf = useValueText()
  const most = useRef(FEWEST)
  most.current = Math.max(most.current, rows.length)
  return (
    <Card title={title}>
      <div style={{ minHeight: (most.current + 1) * ROW }}>
        {rows.length === 0 ? (
          <p className={css.hint}>{explore.live.noVisitor}</p>
        ) : (
          <RankList
            label={title}
            heads={[head, common.short.visitors]}
            rows={rows.map(({ value, visitors }) => ({
              key: value,
              name: textOf(name, value),
              label: <HostileText>{textOf(name, value)}</HostileText>,
              share: visitors / Math.max(1, rows[0]!.visitors),
              numbers: [{ shown: exact(visitors), exact: exact(visitors) }],
            }))}
          />
        )}
      </div>
    </Card>
  )
}
