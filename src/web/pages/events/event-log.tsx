import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { CsvButton } from '../../parts/lists/csv-button.tsx'
import { Pager } from '../../parts/lists/pager.tsx'
import { Empty } from '../../parts/states.tsx'
import { usePage } from '../../state/page.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { EventTable } from '../../visits/event-table.tsx'
import { useTypes } from './use-types.ts'

const PER_PAGE = 25

/** Every event of the chosen types, the newest first. */
export function EventLog() {
  const { events } = useText()
  const { input } = useQuestion()
  const { mayExport } = useSite()
  const { chosen } = useTypes()
  const [page, onPage] = usePage()
  const hasTypes = chosen.length > 0
  const query = { ...input, types: [...chosen], page, per_page: PER_PAGE }
  const read = useRead(['event-log', query], signal => api.stats.events.query(query, { signal }), {
    enabled: hasTypes,
  })
  return (
    <Card
      title={events.log}
      isWide
      action={mayExport && hasTypes && <CsvButton path="stats/events" query={query} name="events" />}
    >
      {hasTypes ? (
        <Answer read={read}>
          {({ data, meta }) =>
            data.length === 0 ? (
              <Empty title={events.none} />
            ) : (
              <>
                <EventTable label={events.log} events={data} />
                <Pager meta={meta} onPage={onPage} />
              </>
            )
          }
        </Answer>
      ) : (
        <Empty title={events.noneChosen} />
      )}
    </Card>
  )
}
