import type { ComponentProps, ReactNode } from 'react'
import type { Group } from '../format/dates.ts'
import { Button } from '../parts/form/button.tsx'
import { Menu } from '../parts/overlay/menu.tsx'
import { useText } from '../text/text.tsx'
import css from './chart.module.css'
import type { Series } from './series.ts'

const GROUPS = ['hour', 'day', 'week', 'month'] as const satisfies readonly Group[]

interface Props {
  /** Size of the buckets that are shown. */
  group: Group | undefined
  onGroup(group: Group): void
  /** Stands before it. */
  children?: ReactNode
}

/** Chooses the size of the buckets of a chart. */
export function GroupMenu({ group, onGroup, children }: Props) {
  const { period } = useText()
  return (
    <div className={css.tools}>
      {children}
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

/** A further button beside the size of the buckets. */
export const ChartButton = (props: Omit<ComponentProps<typeof Button>, 'kind' | 'className'>) => (
  <Button {...props} kind="quiet" className={css.tool} />
)
