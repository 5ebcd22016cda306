import type { Inputs } from '../../api/client.ts'
import { useGoalNames } from '../../filters/filter-text.ts'
import { Select } from '../../parts/form/choices.tsx'
import { useAddress } from '../../state/address.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './retention.module.css'

/** Chooses what people begin with, how long a period is, and what is counted. */
export function Controls(choices: ReturnType<typeof useChoices>) {
  const { retention: text } = useText()
  const { params, change } = useAddress()
  const { cohorts, cohort, goals, goal, period, measure } = choices
  return (
    <section className={css.controls} aria-label={text.title}>
      <Select
        label={text.cohort}
        value={cohort}
        options={cohorts.map(value => ({ value, label: `${text.cohort}: ${text.cohorts[value]}` }))}
        onChange={choices.onCohort}
      />
      {cohort === 'goal' && goals && goal && (
        <Select
          label={text.goal}
          value={goal}
          options={goals.map(({ id, display_name }) => ({ value: id, label: display_name }))}
          onChange={choices.onGoal}
        />
      )}
      {cohort === 'payment' && (
        <Select
          label={text.measure}
          value={measure}
          options={MONEY_MEASURES.map(value => ({ value, label: text.measures[value] }))}
          onChange={choices.onMeasure}
        />
      )}
      <span className={css.grow} />
      <Select
        label={text.period}
        value={period}
        options={PERIODS.map(value => ({ value, label: `${text.period} ${text.periods[value]}` }))}
        onChange={choices.onPeriod}
      />
      <Select
        label={text.show}
        value={params.get('show') === 'value' ? 'value' : 'rate'}
        options={(['rate', 'value'] as const).map(value => ({ value, label: text.shows[value] }))}
        onChange={next => change({ show: next === 'rate' ? null : next }, { replace: true })}
      />
    </section>
  )
}

type Input = Inputs['stats']['retention']
type Cohort = NonNullable<Input['cohort']>
type CohortPeriod = NonNullable<Input['period']>
type Measure = NonNullable<Input['measure']>

const COHORTS = ['first_visit', 'goal', 'payment'] as const satisfies readonly Cohort[]
const PERIODS = ['day', 'week', 'month'] as const satisfies readonly CohortPeriod[]
const MONEY_MEASURES = ['payers', 'mrr'] as const satisfies readonly Measure[]

/** What the table counts, kept in the address. */
export function useChoices() {
  const { can } = useSite()
  const { params, change } = useAddress()
  const cohorts = COHORTS.filter(
    name => (name === 'payment' ? can('revenue') : can('traffic')) && (name !== 'goal' || can('goals')),
  )
  const cohort = cohorts.find(name => name === params.get('cohort')) ?? cohorts[0]!
  const goals = useGoalNames(cohort === 'goal')
  const goal = goals?.find(({ id }) => id === params.get('value'))?.id ?? goals?.[0]?.id
  const period = PERIODS.find(name => name === params.get('period')) ?? 'week'
  const measure: Measure =
    cohort === 'payment'
      ? (MONEY_MEASURES.find(name => name === params.get('measure')) ?? 'payers')
      : 'visitors'
  const set = (changes: Record<string, string | null>) => change(changes, { replace: true })
  return {
    cohorts,
    cohort,
    goals,
    goal,
    period,
    measure,
    onCohort: (name: Cohort) =>
      set({ cohort: name === cohorts[0] ? null : name, value: null, measure: null }),
    onGoal: (id: string) => set({ value: id }),
    onPeriod: (name: CohortPeriod) => set({ period: name === 'week' ? null : name }),
    onMeasure: (name: Measure) => set({ measure: name === 'payers' ? null : name }),
  }
}
