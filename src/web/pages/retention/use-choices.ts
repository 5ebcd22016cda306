import type { Inputs } from '../../api/types.ts'
import { useGoalNames } from '../../filters/use-filter-text.ts'
import { useAddress } from '../../state/address.ts'
import { useSite } from '../../state/site.tsx'

type Input = Inputs['stats']['retention']
export type Cohort = NonNullable<Input['cohort']>
export type CohortPeriod = NonNullable<Input['period']>
export type Measure = NonNullable<Input['measure']>

const COHORTS = ['first_visit', 'goal', 'payment'] as const satisfies readonly Cohort[]
export const PERIODS = ['day', 'week', 'month'] as const satisfies readonly CohortPeriod[]
export const MONEY_MEASURES = ['payers', 'mrr'] as const satisfies readonly Measure[]

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
