import { api } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card, CardGrid } from '../../parts/card.tsx'
import { Empty } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { EventTable } from '../../visits/event-table.tsx'
import css from './live.module.css'
import { Minutes } from './minutes.tsx'
import { PresentValues } from './present-values.tsx'

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
