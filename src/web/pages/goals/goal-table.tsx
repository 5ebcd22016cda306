import { useState } from 'react'
import { Link } from 'wouter'
import { api, type Outputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { statsKey } from '../../api/use-stats.ts'
import { useFormat } from '../../format/format.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { HostileText, plainText } from '../../parts/hostile-text.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { RowMenu } from '../../parts/overlay/menu.tsx'
import { useLinks } from '../../state/address.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { type Goal, usualOperator } from './goal-types.ts'
import css from './goals.module.css'

type Row = Outputs['stats']['goals'][number]

interface Props {
  goals: readonly Goal[]
  /** Numbers of the goals; undefined while they are not there. */
  rows: readonly Row[] | undefined
  onEdit(goal: Goal): void
}

export function GoalTable({ goals, rows, onEdit }: Props) {
  const { goals: text, common } = useText()
  const { mayChange, can } = useSite()
  const format = useFormat()
  const [removed, setRemoved] = useState<Goal>()
  const byId = new Map(rows?.map(row => [row.id, row]))
  const numberOf = (show: (row: Row) => string) => (goal: Goal) => {
    const row = byId.get(goal.id)
    return row ? show(row) : '–'
  }
  const hasRevenue = can('revenue') && goals.some(({ currency }) => currency !== null)
  const columns: Column<Goal>[] = [
    { name: 'goal', label: text.goal, cell: goal => <Name goal={goal} /> },
    {
      name: 'conversions',
      label: text.conversions,
      isNumber: true,
      cell: numberOf(row => format.exact(row.conversions)),
    },
    {
      name: 'visitors',
      label: common.short.visitors,
      isNumber: true,
      isWide: true,
      cell: numberOf(row => format.exact(row.visitors)),
    },
    {
      name: 'rate',
      label: common.short.rate,
      isNumber: true,
      isWide: true,
      cell: numberOf(row => format.percent(row.conversion_rate)),
    },
  ]
  if (hasRevenue) {
    columns.push({
      name: 'revenue',
      label: common.short.revenue,
      isNumber: true,
      isMoney: true,
      isWide: true,
      cell: goal => (goal.currency === null ? '' : numberOf(row => format.money(row.revenue ?? 0))(goal)),
    })
  }
  if (mayChange) {
    columns.push({
      name: 'actions',
      label: '',
      isNumber: true,
      cell: goal => (
        <RowMenu
          label={text.actionsFor(plainText(goal.display_name))}
          entries={[
            { name: 'edit', label: common.actions.edit, onChoose: () => onEdit(goal) },
            {
              name: 'delete',
              label: common.actions.delete,
              isDanger: true,
              onChoose: () => setRemoved(goal),
            },
          ]}
        />
      ),
    })
  }
  return (
    <>
      <DataTable label={text.title} columns={columns} rows={goals} keyOf={({ id }) => id} />
      {removed && <Removal goal={removed} onClose={() => setRemoved(undefined)} />}
    </>
  )
}

/** The name leads to the visits that converted; below it stands what the goal looks for. */
function Name({ goal }: { goal: Goal }) {
  const { goals: text, filters } = useText()
  const link = useLinks()
  const { type, match_value: value, match_operator: operator } = goal
  const props = Object.entries(goal.custom_props).map(([key, given]) => `${key} = ${given}`)
  const isUsual = value === null || operator === 'is' || operator === usualOperator(type)
  const threshold = goal.scroll_threshold >= 0 ? text.scrolled(String(goal.scroll_threshold)) : ''
  const rule = [text.types[type], threshold, isUsual ? '' : filters.operators[operator], value ?? text.any]
  return (
    <>
      <Link href={link('/', { goal: goal.id })} className={css.name}>
        <HostileText>{goal.display_name}</HostileText>
      </Link>
      <small className={css.rule}>
        <HostileText>{[rule.filter(Boolean).join(' '), ...props].join(' · ')}</HostileText>
      </small>
    </>
  )
}

function Removal({ goal, onClose }: { goal: Goal; onClose(): void }) {
  const { goals: text, common } = useText()
  const { id } = useSite()
  const remove = useChange(
    () => api.goals.delete.mutate({ siteKey: id, goal: goal.id }),
    [['goals', id], statsKey('goals')],
  )
  return (
    <Confirm title={text.deleteTitle} confirm={common.actions.delete} change={remove} onClose={onClose}>
      <p>{text.deleteQuestion(plainText(goal.display_name))}</p>
    </Confirm>
  )
}
