import type { Group } from '../format/dates.ts'
import { Menu } from '../parts/overlay/menu.tsx'
import { useText } from '../text/text.tsx'
import css from './chart.module.css'
import type { Series } from './series.ts'

const GROUPS = ['hour', 'day', 'week', 'month'] as const satisfies readonly Group[]

interface Props {
  /** Size of the buckets that are shown. */
  group: Group | undefined
  onGroup(group: Group): void
}

/** Chooses the size of the buckets of a chart. */
export function GroupMenu({ group, onGroup }: Props) {
  const { period } = useText()
  return (
    <div className={css.tools}>
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

/** What each ink of a chart stands for. */
export function Legend({ series }: { series: readonly Pick<Series, 'name' | 'tone'>[] }) {
  return (
    <ul className={css.legend} aria-hidden="true">
      {series.map(({ name, tone }) => (
        <li key={name}>
          <i className={css[tone]} />
          {name}
        </li>
      ))}
    </ul>
  )
}
