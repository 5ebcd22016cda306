import { Link } from 'wouter'
import { useStats } from '../../api/use-stats.ts'
import { HostileLink, HostileText } from '../../parts/hostile-text.tsx'
import { type Column, usePermitted } from '../../parts/lists/data-table.tsx'
import { ListTable } from '../../parts/lists/list.tsx'
import { useLinks, usePage } from '../../state/address.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Moment, Place, useDeviceText } from '../../visits/cells.tsx'
import { Who } from '../../visits/who.tsx'
import type { Occurrence } from './error-reads.tsx'

/** Each time an error occurred, the newest first, with the visit in which it did. */
export function Occurrences({ error }: { error: string }) {
  const { errors } = useText()
  const { input } = useQuestion()
  const [page, onPage] = usePage()
  const columns = useColumns()
  const list = useStats('errorEvents', { ...input, error, page })
  return (
    <ListTable
      read={list}
      label={errors.occurrences}
      columns={columns}
      keyOf={({ timestamp }, index) => `${timestamp} ${index}`}
      isEven
      onPage={onPage}
    />
  )
}

function useColumns(): Column<Occurrence>[] {
  const { errors, filters, people } = useText()
  const deviceText = useDeviceText()
  const linkTo = useLinks()
  return usePermitted<Occurrence, string>([
    {
      name: 'page',
      label: filters.names.path,
      needs: 'pages',
      cell: ({ url, path }) => <HostileLink address={url}>{path}</HostileLink>,
    },
    { name: 'who', label: people.who, needs: 'people', cell: row => <Who actor={row} /> },
    {
      name: 'device',
      label: people.device,
      isWide: true,
      needs: 'devices',
      cell: row => <HostileText>{deviceText(row)}</HostileText>,
    },
    {
      name: 'place',
      label: filters.names.country,
      isWide: true,
      needs: 'locations',
      cell: ({ country }) => <Place country={country} />,
    },
    {
      name: 'time',
      label: errors.when,
      isNumber: true,
      isWide: true,
      cell: ({ timestamp }) => <Moment at={timestamp} />,
    },
    {
      name: 'session',
      label: people.visit,
      isNumber: true,
      needs: 'people',
      cell: ({ session_id }) =>
        session_id ? <Link href={linkTo(`/sessions/${session_id}`)}>{errors.openVisit}</Link> : '–',
    },
  ])
}
