import type { Outputs } from '../../api/types.ts'
import { useFormat } from '../../format/format.ts'
import { Figure, FigureGrid } from '../../parts/figures/figure.tsx'
import { useText } from '../../text/text.tsx'
import css from './customer.module.css'

export type Customer = Outputs['stats']['moneyCustomers']['data'][number]

/** What a customer pays and has paid. */
export function CustomerNumbers({ customer }: { customer: Customer }) {
  const { money } = useText()
  const { lists: text, figures } = money
  const format = useFormat()
  const { revenue, mrr, payments, subscriptions } = customer
  const { first_payment_at: first, last_payment_at: last } = customer
  const amount = (minor: number | null) => ({
    shown: minor === null ? '–' : format.money(minor),
    exact: minor === null ? '–' : format.exactMoney(minor),
    isMoney: true,
  })
  const moment = (at: string | null) => ({
    shown: at === null ? '–' : format.date(at),
    exact: at === null ? '–' : format.time(at),
  })
  const count = (value: number) => ({ shown: format.count(value), exact: format.exact(value) })
  return (
    <section className={css.panel} aria-label={money.title}>
      <FigureGrid>
        <Figure name={figures.revenue} {...amount(revenue)} />
        <Figure name={text.mrr} {...amount(mrr)} />
        <Figure name={text.paymentCount} {...count(payments)} />
        <Figure name={text.subscriptions} {...count(subscriptions)} />
        <Figure name={text.firstPayment} {...moment(first)} />
        <Figure name={text.lastPayment} {...moment(last)} />
      </FigureGrid>
    </section>
  )
}
