import { api, type Outputs } from '../../../api/client.ts'
import { useRead } from '../../../api/use-read.ts'
import { useFormat } from '../../../format/format.ts'
import { SelectField, TextField } from '../../../parts/form/field.tsx'
import { useSite } from '../../../state/site.tsx'
import type { Dictionary } from '../../../text/languages/en.ts'
import { useText } from '../../../text/text.tsx'

interface Props {
  condition: Condition
  onChange(condition: Condition): void
}

type Numbers = 'percent' | 'minimum' | 'count' | 'hours' | 'value'
const NUMBERS: readonly Numbers[] = ['percent', 'count', 'value', 'hours', 'minimum']

/** The fields that a kind of condition has. */
export function ConditionFields({ condition, onChange }: Props) {
  const { alerts: text } = useText()
  const { currency } = useSite()
  const { major } = useFormat()
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
            onChange={event => set({ unit: event.target.value, value: Number.NaN })}
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
      {NUMBERS.filter(name => values[name] !== undefined).map(name => {
        // An amount is written in the currency, and sent in its minor units.
        const isAmount = name === 'value' && condition.kind === 'mrr_churn' && condition.unit === 'amount'
        const unit = isAmount ? major(1) : 1
        const value = isAmount ? major(values[name]!) : values[name]
        return (
          <TextField
            key={name}
            type="number"
            inputMode={isAmount ? 'decimal' : 'numeric'}
            min={lowest(name, condition) * unit}
            step={unit}
            label={isAmount ? text.amountIn(currency) : labelOf(name, condition, text)}
            value={Number.isNaN(value) ? '' : value}
            onChange={event => set({ [name]: Math.round(event.target.valueAsNumber / unit) })}
            required
          />
        )
      })}
    </>
  )
}

/** A goal can be reached more than 0 times, and never fewer. */
const lowest = (name: Numbers, condition: Condition) =>
  name === 'count' && condition.kind === 'goal' && condition.operator === 'above' ? 0 : 1

function labelOf(name: Numbers, { kind }: Condition, text: Dictionary['alerts']): string {
  if (name === 'percent') return text.percents[kind as keyof typeof text.percents]
  if (name === 'count') return text.counts[kind as keyof typeof text.counts]
  if (name === 'hours') return text.hours[kind as keyof typeof text.hours]
  return text.numbers[name]
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
        onChange={event =>
          set(
            event.target.value === 'below'
              ? { operator: 'below', count: Math.max(1, condition.count) }
              : { operator: 'above' },
          )
        }
        options={(['above', 'below'] as const).map(value => ({ value, label: text.operators[value] }))}
      />
    </>
  )
}

export type Alert = Outputs['alerts']['list'][number]
export type Condition = Alert['condition']
export type Kind = Condition['kind']

/** Kinds of conditions in the order of the form, with the condition that a new alert has. */
export const NEW_CONDITIONS: { [Each in Kind]: Extract<Condition, { kind: Each }> } = {
  traffic_spike: { kind: 'traffic_spike', metric: 'visitors', percent: 200, minimum: 50 },
  traffic_drop: { kind: 'traffic_drop', metric: 'visitors', percent: 60, minimum: 50 },
  no_hits: { kind: 'no_hits', hours: 3 },
  error_rate: { kind: 'error_rate', percent: 5, minimum: 50 },
  error_count: { kind: 'error_count', count: 100 },
  goal: { kind: 'goal', goal: '', operator: 'above', count: 0, hours: 1 },
  mrr_churn: { kind: 'mrr_churn', unit: 'percent', value: 5, days: 7 },
}
export const KINDS = Object.keys(NEW_CONDITIONS) as Kind[]

/** Keys of the reads of one site's alerts. */
export const alertsKey = (siteId: string) => ['alerts', siteId]
