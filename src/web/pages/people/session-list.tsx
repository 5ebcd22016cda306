import type { Outputs } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { useFormat } from '../../format/format.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import { type Column, DataTable, usePermitted } from '../../parts/lists/data-table.tsx'
import { List, ListTable } from '../../parts/lists/list.tsx'
import { usePage } from '../../state/address.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Amount, Moment, Place, useDeviceText } from '../../visits/cells.tsx'
import { Who } from '../../visits/who.tsx'
import { WatchLink } from './replay/replay-card.tsx'

export type SessionRow = Outputs['stats']['sessions']['data'][number]

/** Visits of the period, the newest first. A name leads to the visit. */
export function SessionList() {
  const { people, replay } = useText()
  const { input } = useQuestion()
  const [page, onPage] = usePage()
  const [who, ...others] = useSessionColumns()
  const recorded: Column<SessionRow> = {
    name: 'recorded',
    label: replay.title,
    cell: row => row.has_replay && <WatchLink session={row.session_id} />,
  }
  const list = useStats('sessions', { ...input, page })
  return (
    <List read={list} onPage={onPage}>
      {rows => (
        <DataTable
          label={people.tabs.sessions}
          columns={rows.some(row => row.has_replay) ? [who!, recorded, ...others] : [who!, ...others]}
          rows={rows}
          keyOf={({ session_id }) => session_id}
          isEven
        />
      )}
    </List>
  )
}

/** Columns of a list of visits; the first one is who came. */
function useSessionColumns(): Column<SessionRow>[] {
  const { common, filters, people } = useText()
  const format = useFormat()
  const deviceText = useDeviceText()
  return usePermitted<SessionRow, string>([
    { name: 'who', label: people.who, cell: row => <Who actor={row} path={`/sessions/${row.session_id}`} /> },
    { name: 'time', label: people.started, cell: row => <Moment at={row.started_at} /> },
    {
      name: 'source',
      needs: 'sources',
      label: filters.names.source,
      isWide: true,
      cell: row => <HostileText>{row.source || '–'}</HostileText>,
    },
    {
      name: 'entry',
      needs: 'pages',
      label: filters.names.entry_path,
      isWide: true,
      cell: row => <HostileText>{row.entry_path || '–'}</HostileText>,
    },
    {
      name: 'place',
      needs: 'locations',
      label: filters.names.country,
      isWide: true,
      cell: row => <Place country={row.country} city={row.city} />,
    },
    {
      name: 'device',
      needs: 'devices',
      label: people.device,
      isWide: true,
      cell: row => <HostileText>{deviceText({ ...row, os: '' })}</HostileText>,
    },
    {
      name: 'pages',
      label: people.pages,
      isNumber: true,
      isWide: true,
      cell: row => format.exact(row.pageviews),
    },
    {
      name: 'duration',
      label: people.duration,
      isNumber: true,
      isWide: true,
      cell: row => format.duration(row.duration_seconds),
    },
    {
      name: 'revenue',
      label: common.short.revenue,
      isNumber: true,
      isMoney: true,
      isWide: true,
      needs: 'revenue',
      cell: row => <Amount minor={row.revenue} />,
    },
  ])
}

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
  const list = useStats('replays', { ...input, page })
  return (
    <ListTable
      read={list}
      empty={replay.none}
      label={people.tabs.replays}
      columns={[who!, recorded, ...others]}
      keyOf={({ session_id }) => session_id}
      isEven
      onPage={onPage}
    />
  )
}
