import { Link, useParams } from 'wouter'
import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { Answer } from '../../parts/answer.tsx'
import { CardGrid } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { Empty } from '../../parts/states.tsx'
import { useLinks } from '../../state/kept-search.ts'
import { readPart } from '../../state/part-of-path.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './customer.module.css'
import { type Customer, CustomerNumbers } from './customer-numbers.tsx'
import { CustomerPayments, useCustomerPayments } from './customer-payments.tsx'
import { CustomerSubscriptions } from './customer-subscriptions.tsx'
import { FirstVisitCard } from './first-visit-card.tsx'
import { Tag } from './tag.tsx'

const MOST = 100

/** One customer: what it pays, since when, and where it came from. */
export default function CustomerPage() {
  const { money } = useText()
  const links = useLinks()
  const site = useSite()
  const id = readPart(useParams().customer!)
  // The list has no read of a single one: its search finds the part of the key that is text.
  const query = { siteKey: site.id, search: id.slice(2), per_page: MOST }
  const read = useRead(
    ['moneyCustomers', query],
    signal => api.stats.moneyCustomers.query(query, { signal }),
    { keep: false },
  )
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
