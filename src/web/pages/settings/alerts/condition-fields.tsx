import { api } from '../../../api/client.ts'
import { useRead } from '../../../api/use-read.ts'
import { SelectField, TextField } from '../../../parts/form/field.tsx'
import { useSite } from '../../../state/site.tsx'
import { useText } from '../../../text/text.tsx'
import type { Condition } from './conditions.ts'

interface Props {
  condition: Condition
  onChange(condition: Condition): void
}

type Numbers = 'percent' | 'minimum' | 'count' | 'hours' | 'value'
const NUMBERS: readonly Numbers[] = ['percent', 'count', 'value', 'hours', 'minimum']

/** The fields that a kind of condition has. */
export function ConditionFields({ condition, onChange }: Props) {
  const { alerts: text } = useText()
  const set = (changes: object) => onChange({ ...condition, ...changes } as Condition)
  const values = condition as Partial<Record<Numbers, number>>
  return (
    <>
      {'metric' in condition && (
        <SelectField
          label={text.metric}
          value={condition.metric}
          onChange={event => set({ metric: event.target.value })}
          options={(['visitors', 'pageviews'] as const).map(value => ({ value, label: text.metrics[value] }))}
        />
      )}
      {condition.kind === 'goal' && <GoalFields condition={condition} set={set} />}
      {condition.kind === 'mrr_churn' && (
        <>
          <SelectField
            label={text.unit}
            value={condition.unit}
            onChange={event => set({ unit: event.target.value })}
            options={(['percent', 'amount'] as const).map(value => ({ value, label: text.units[value] }))}
          />
          <SelectField
            label={text.days}
            value={String(condition.days)}
            onChange={event => set({ days: Number(event.target.value) })}
            options={[
              { value: '1', label: text.oneDay },
              { value: '7', label: text.oneWeek },
            ]}
          />
        </>
      )}
      {NUMBERS.filter(name => values[name] !== undefined).map(name => (
        <TextField
          key={name}
          type="number"
          inputMode="numeric"
          min={name === 'count' && condition.kind === 'goal' ? 0 : 1}
          label={name === 'percent' ? text.percents[condition.kind as 'error_rate'] : text.numbers[name]}
          value={Number.isNaN(values[name]) ? '' : values[name]}
          onChange={event => set({ [name]: event.target.valueAsNumber })}
          required
        />
      ))}
    </>
  )
}

function GoalFields({
  condition,
  set,
}: {
  condition: Extract<Condition, { kind: 'goal' }>
  set(changes: object): void
}) {
  const { alerts: text } = useText()
  const { id } = useSite()
  const goals = useRead(['goals', id, 'all of alerts'], signal =>
    api.goals.list.query({ siteKey: id, per_page: 100 }, { signal }),
  )
  const options = (goals.data?.data ?? []).map(goal => ({ value: goal.id, label: goal.display_name }))
  return (
    <>
      <SelectField
        label={text.goal}
        value={condition.goal}
        onChange={event => set({ goal: event.target.value })}
        options={[{ value: '', label: text.chooseGoal }, ...options]}
        required
      />
      <SelectField
        label={text.operator}
        value={condition.operator}
        onChange={event => set({ operator: event.target.value })}
        options={(['above', 'below'] as const).map(value => ({ value, label: text.operators[value] }))}
      />
    </>
  )
}
