import type { Inputs } from '../../api/client.ts'
import { Button } from '../../parts/form/button.tsx'
import { Menu } from '../../parts/overlay/menu.tsx'
import { useText } from '../../text/text.tsx'
import css from './overview.module.css'

export type ChosenGroup = Inputs['stats']['timeseries']['group']

const GROUPS = ['hour', 'day', 'week', 'month'] as const satisfies readonly ChosenGroup[]

interface Props {
  /** Size of the buckets that are shown. */
  group: ChosenGroup
  onGroup(group: NonNullable<ChosenGroup>): void
  onNote: (() => void) | undefined
}

/** What can be done with the chart: other buckets, and a note. */
export function ChartTools({ group, onGroup, onNote }: Props) {
  const { period, overview } = useText()
  return (
    <div className={css.tools}>
      {onNote && (
        <Button kind="quiet" className={css.tool} onClick={onNote}>
          {overview.annotation.add}
        </Button>
      )}
      <Menu
        align="end"
        label={period.group}
        button={{ kind: 'quiet', className: css.tool }}
        trigger={`${group ? period.groups[group] : period.group} ▾`}
        entries={GROUPS.map(name => ({
          name,
          label: period.groups[name],
          isChosen: name === group,
          onChoose: () => onGroup(name),
        }))}
      />
    </div>
  )
}
