import { useStats } from '../../api/use-stats.ts'
import { NONE } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { ListTable } from '../../parts/lists/list.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import type { Vital } from './vitals.ts'

const MOST = 10

/** Which elements and phases made the values of a metric poor. */
export function Causes({ metric }: { metric: Vital }) {
  const { explore, filters } = useText()
  const { vitals: text } = explore
  const { exact } = useFormat()
  const { input } = useQuestion()
  const query = { ...input, metric, per_page: MOST }
  const read = useStats('webVitalsAttribution', query)
  const shown = (value: string) => <HostileText>{value === NONE ? '–' : value}</HostileText>
  return (
    <Card isWide title={text.causes} note={text.causesHint}>
      <ListTable
        read={read}
        empty={text.noCauses}
        label={text.causes}
        columns={[
          { name: 'path', label: filters.names.path, cell: row => shown(row.path) },
          { name: 'target', label: text.target, cell: row => shown(row.target) },
          { name: 'phase', label: text.phase, isWide: true, cell: row => shown(phaseText(row.phase)) },
          { name: 'samples', label: text.samples, isNumber: true, cell: row => exact(row.samples) },
        ]}
        keyOf={row => JSON.stringify([row.path, row.target, row.phase])}
      />
    </Card>
  )
}

/** Phases have the names that browsers' tools use, as words. */
const phaseText = (phase: string): string => phase.replaceAll('_', ' ')
