import { Link, useParams } from 'wouter'
import type { Outputs } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { useValueText } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { Card, CardGrid } from '../../parts/card.tsx'
import { Figure, FigureGrid } from '../../parts/figures.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { useLinks } from '../../state/address.ts'
import { readPart } from '../../state/places.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { CustomerPayments, CustomerSubscriptions, useCustomerPayments } from './customer-lists.tsx'
import css from './customers.module.css'
import { Tag } from './names.tsx'

const MOST = 100

/** One customer: what it pays, since when, and where it came from. */
export default function CustomerPage() {
  const { money } = useText()
  const links = useLinks()
  const site = useSite()
  const id = readPart(useParams().customer!)
  // The list has no read of a single one: its search finds the part of the key that is text.
  const query = { siteKey: site.id, search: id.slice(2), per_page: MOST }
  const read = useStats('moneyCustomers', query, { keep: false })
  return (
    <>
      <p className={css.back}>
        <Link href={links('/money')}>← {money.customer.back}</Link>
      </p>
      <Answer read={read}>
        {({ data }) => {
          const customer = data.find(each => each.id === id)
          return customer ? <Found customer={customer} /> : <Empty title={money.customer.missing} />
        }}
      </Answer>
    </>
  )
}

function Found({ customer }: { customer: Customer }) {
  const { money } = useText()
  const links = useLinks()
  const { can, mayManage } = useSite()
  const payments = useCustomerPayments(customer.id, 1)
  const { name, email, customer_id: other, status } = customer
  const visitor = customer.id.startsWith('v:')
    ? customer.id.slice(2)
    : payments.data?.data.find(({ visitor_id: known }) => known !== null)?.visitor_id
  const title = name || email || other || customer.id.slice(2)
  return (
    <>
      <header className={css.head}>
        <h1>
          <HostileText isWrapped>{title}</HostileText>
        </h1>
        <Tag>{money.customerStatus[status]}</Tag>
        {visitor && can('people') && (
          <Link href={links(`/people/${visitor}`)} className={css.person}>
            {money.customer.person}
          </Link>
        )}
      </header>
      <p className={css.names}>
        {[email, other].map(
          text =>
            text &&
            text !== title && (
              <span key={text}>
                <HostileText>{text}</HostileText>
              </span>
            ),
        )}
      </p>
      <CustomerNumbers customer={customer} />
      <CardGrid>
        <FirstVisitCard customer={customer} />
        <CustomerSubscriptions customer={customer} />
        {mayManage && <CustomerPayments customer={customer.id} />}
      </CardGrid>
    </>
  )
}

export type Customer = Outputs['stats']['moneyCustomers']['data'][number]

/** What a customer pays and has paid. */
function CustomerNumbers({ customer }: { customer: Customer }) {
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

const SHOWN = [
  'channel',
  'source',
  'referrer',
  'utm_campaign',
  'utm_medium',
  'entry_path',
  'country',
] as const

/** How a customer came for the first time, and how long it took until they paid. */
function FirstVisitCard({ customer }: { customer: Customer }) {
  const { money, filters } = useText()
  const { customer: text } = money
  const format = useFormat()
  const valueText = useValueText()
  const { first_visit: visit, first_payment_at: paid } = customer
  const days = visit && paid && Math.floor((Date.parse(paid) - Date.parse(visit.at)) / 86_400_000)
  return (
    <Card title={text.firstVisit} label={text.firstVisit}>
      {visit ? (
        <dl className={css.facts}>
          <dt>{text.at}</dt>
          <dd>{format.time(visit.at)}</dd>
          {SHOWN.filter(name => visit[name] !== '').map(name => (
            <Fact key={name} name={filters.names[name]} value={valueText(name, visit[name])} />
          ))}
          {typeof days === 'number' && days >= 0 && (
            <Fact name={text.sinceVisit} value={days === 0 ? text.sameDay : money.days(format.exact(days))} />
          )}
        </dl>
      ) : (
        <p>{text.noFirstVisit}</p>
      )}
    </Card>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <HostileText>{value}</HostileText>
      </dd>
    </>
  )
}
