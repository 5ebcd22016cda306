import { useState } from 'react'
import { Link } from 'wouter'
import { api } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { useChange } from '../../api/use-change.ts'
import { useSite } from '../../app/site.tsx'
import { useFormat } from '../../format/format.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useText } from '../../text/text.tsx'
import type { Goal } from './goal-types.ts'
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
      cell: numberOf(row => format.percent(row.conversion_rate)),
    },
  ]
  if (hasRevenue) {
    columns.push({
      name: 'revenue',
      label: common.short.revenue,
      isNumber: true,
      isMoney: true,
      cell: goal => (goal.currency === null ? '' : numberOf(row => format.money(row.revenue ?? 0))(goal)),
    })
  }
  if (mayChange) {
    columns.push({
      name: 'actions',
      label: '',
      isNumber: true,
      cell: goal => (
        <span className={css.actions}>
          <Button kind="quiet" aria-label={text.editGoal(goal.display_name)} onClick={() => onEdit(goal)}>
            {common.actions.edit}
          </Button>
          <Button
            kind="quiet"
            aria-label={text.deleteGoal(goal.display_name)}
            onClick={() => setRemoved(goal)}
          >
            {common.actions.delete}
          </Button>
        </span>
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
  const { type, match_value: value, match_operator: operator } = goal
  const props = Object.entries(goal.custom_props).map(([key, given]) => `${key} = ${given}`)
  const compared = operator === 'is' || value === null ? '' : filters.operators[operator]
  const threshold = goal.scroll_threshold >= 0 ? text.scrolled(String(goal.scroll_threshold)) : ''
  return (
    <>
      <Link href={`/?goal=${goal.id}`} className={css.name}>
        <HostileText>{goal.display_name}</HostileText>
      </Link>
      <span className={css.rule}>
        <span>{[text.types[type], threshold, compared].filter(Boolean).join(' ')}</span>
        <HostileText>{[value ?? text.any, ...props].join(' · ')}</HostileText>
      </span>
    </>
  )
}

function Removal({ goal, onClose }: { goal: Goal; onClose(): void }) {
  const { goals: text, common } = useText()
  const { id } = useSite()
  const remove = useChange(
    () => api.goals.delete.mutate({ siteKey: id, goal: goal.id }).then(() => true),
    [['goals', id]],
  )
  return (
    <Confirm
      title={text.deleteTitle}
      confirm={common.actions.delete}
      onConfirm={async () => {
        if (await remove.send(undefined)) onClose()
      }}
      onClose={onClose}
      isSending={remove.isSending}
      failure={remove.failure}
    >
      <p>{text.deleteQuestion(goal.display_name)}</p>
    </Confirm>
  )
}
