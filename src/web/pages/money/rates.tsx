import { useFormat } from '../../format/format.ts'
import { isTooFew } from '../../format/numbers.ts'
import { Card } from '../../parts/card.tsx'
import { ExplainButton } from '../../parts/explain/explain-button.tsx'
import { Change, NoNumber } from '../../parts/figures.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import type { Report } from './metrics.ts'
import css from './money.module.css'

const RATES = [
  'arr',
  'mrr_growth_rate',
  'arpa',
  'active_subscriptions',
  'customer_churn_rate',
  'mrr_churn_rate',
  'net_mrr_churn_rate',
  'revenue_per_paying_customer',
] as const
type Rate = (typeof RATES)[number]

const AMOUNTS: readonly Rate[] = ['arr', 'arpa', 'revenue_per_paying_customer']

const CHURN: readonly Rate[] = ['customer_churn_rate', 'mrr_churn_rate', 'net_mrr_churn_rate']

/** How many the number before rests on. */
function baseOf(name: Rate, { previous }: Report): number {
  if (name === 'active_subscriptions') return previous.active_subscriptions
  return name === 'revenue_per_paying_customer' ? previous.payments : previous.active_customers
}

/** Further numbers of the period, each with its definition in a tooltip. */
export function Rates({ report }: { report: Report }) {
  const { money, common } = useText()
  const { rates: text } = money
  const format = useFormat()
  const { period, input, compare } = useQuestion()
  const write = (name: Rate, value: number) => {
    if (AMOUNTS.includes(name)) return { shown: format.money(value), exact: format.exactMoney(value) }
    const shown = name === 'active_subscriptions' ? format.exact(value) : format.percent(value)
    return { shown, exact: shown }
  }
  const whyNot = (name: Rate, numbers: Report['previous']): string | undefined => {
    const { customers_at_start: customers } = numbers
    if (CHURN.includes(name) && numbers[name] > 100) return common.change.moreThanAll
    return name === 'mrr_growth_rate' && isTooFew(customers) ? common.change.tooFew : undefined
  }
  return (
    <Card title={text.title} label={text.title}>
      <dl className={css.rates}>
        {RATES.map(name => {
          const [now, before] = [report[name], report.previous[name]]
          const { shown, exact } = write(name, now)
          const noRate = whyNot(name, report)
          const isCompared = period.compare !== 'none'
          return (
            <div key={name}>
              <dt title={text.hints[name]}>
                {text[name]}
                <ExplainButton
                  of={text[name]}
                  ask={{ ...input, ...compare, read: 'money' }}
                  numbers={[
                    {
                      metric: name,
                      name: text[name],
                      write: value => write(name, value).exact,
                      rule: text.hints[name],
                    },
                  ]}
                />
              </dt>
              <dd>
                <span title={exact} className={AMOUNTS.includes(name) ? css.money : undefined}>
                  {noRate ? <NoNumber why={noRate} /> : shown}
                </span>
                <small title={`${common.previous}: ${write(name, before).exact}`}>
                  {isCompared && !name.endsWith('_rate') && (
                    <Change now={now} before={before} base={baseOf(name, report)} />
                  )}
                  {isCompared &&
                    name.endsWith('_rate') &&
                    `${common.previous} ${whyNot(name, report.previous) ? '–' : write(name, before).shown}`}
                </small>
              </dd>
            </div>
          )
        })}
      </dl>
    </Card>
  )
}
