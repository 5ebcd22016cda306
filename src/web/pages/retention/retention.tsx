import { Link } from 'wouter'
import type { Outputs } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { Card } from '../../parts/card.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Answer, Empty, Skeleton } from '../../parts/states.tsx'
import { useAddress } from '../../state/address.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { Controls, useChoices } from './choices.tsx'
import { CohortTable } from './cohort-table.tsx'
import css from './retention.module.css'

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
  const read = useStats('retention', query, {
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

/** Why returns cannot be counted, and what can be done about it. */
function WhyNot({ onPayments }: { onPayments(): void }) {
  const { retention: text } = useText()
  const { can, isMember, mayChange } = useSite()
  return (
    <Empty title={text.unavailable}>
      <p className={css.text}>{text.unavailableText}</p>
      <p className={css.text}>{text.unavailableHint}</p>
      <p className={css.ways}>
        {can('revenue') && <Button onClick={onPayments}>{text.byPayment}</Button>}
        {isMember && mayChange && <Link href="/settings">{text.settings}</Link>}
      </p>
    </Empty>
  )
}
