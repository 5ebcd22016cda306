import { api } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Pager } from '../../parts/lists/pager.tsx'
import { Empty } from '../../parts/states.tsx'
import { usePage } from '../../state/page.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { WatchLink } from './replay/watch-link.tsx'
import { useSessionColumns } from './session-list.tsx'

type ReplayRow = Outputs['stats']['replays']['data'][number]

/** Visits of the period that were recorded, the newest first. */
export function ReplayList() {
  const { people, replay } = useText()
  const { input } = useQuestion()
  const format = useFormat()
  const [page, onPage] = usePage()
  const [who, ...others] = useSessionColumns()
  const recorded: Column<ReplayRow> = {
    name: 'recorded',
    label: replay.recorded,
    cell: row => <WatchLink session={row.session_id}>{format.duration(row.recorded_seconds)}</WatchLink>,
  }
  const list = useRead(['replays', input, page], signal =>
    api.stats.replays.query({ ...input, page }, { signal }),
  )
  return (
    <Answer read={list}>
      {({ data, meta }) =>
        data.length === 0 ? (
          <Empty title={replay.none} />
        ) : (
          <>
            <DataTable
              label={people.tabs.replays}
              columns={[who!, recorded, ...others]}
              rows={data}
              keyOf={({ session_id }) => session_id}
              isEven
            />
            <Pager meta={meta} onPage={onPage} />
          </>
        )
      }
    </Answer>
  )
}
