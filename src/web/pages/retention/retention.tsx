import { api } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { Empty, Skeleton } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { CohortTable } from './cohort-table.tsx'
import { Controls } from './controls.tsx'
import { useChoices } from './use-choices.ts'
import { WhyNot } from './why-not.tsx'

export type Retained = Outputs['stats']['retention']

/** People by the period in which they began, and how many of them came back or still pay later. */
export default function Retention() {
  const { retention: text } = useText()
  const { input } = useQuestion()
  const { params } = useAddress()
  const choices = useChoices()
  const { cohort, goal, period, measure } = choices
  const query = {
    ...input,
    cohort,
    period,
    measure,
    ...(cohort === 'goal' && goal !== undefined && { cohort_goal: goal }),
  }
  const isAnswerable = cohort !== 'goal' || goal !== undefined
  const read = useRead(['retention', query], signal => api.stats.retention.query(query, { signal }), {
    enabled: isAnswerable,
  })
  const isWithoutGoals = cohort === 'goal' && choices.goals?.length === 0
  return (
    <>
      <h1 className="only-read">{text.title}</h1>
      <Controls {...choices} />
      <Card label={text.title}>
        {isWithoutGoals ? (
          <Empty title={text.noGoals} />
        ) : (
          <Answer read={read} placeholder={<Skeleton rows={8} />}>
            {retained =>
              retained.available ? (
                <CohortTable retained={retained} shows={params.get('show') === 'value' ? 'value' : 'rate'} />
              ) : (
                <WhyNot onPayments={() => choices.onCohort('payment')} />
              )
            }
          </Answer>
        )}
      </Card>
    </>
  )
}
