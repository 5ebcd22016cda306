import { Card } from '../../parts/card.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useAddress } from '../../state/address.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { CustomerList } from './customer-list.tsx'
import css from './customers.module.css'
import { firstVisitFilters } from './first-visit.ts'
import { PaymentList } from './payment-list.tsx'
import { SubscriptionList } from './subscription-list.tsx'

const LISTS = ['customers', 'subscriptions', 'payments'] as const
type List = (typeof LISTS)[number]

/** Who pays, for what, and when: to date, whatever the period. Payments are for those who manage the site. */
export function Lists({ isRecurring }: { isRecurring: boolean }) {
  const { money, filters: filterText } = useText()
  const { lists: text } = money
  const { mayManage } = useSite()
  const { filters } = useQuestion()
  const { params, change } = useAddress()
  const shown = LISTS.filter(
    name => (name !== 'payments' || mayManage) && (name !== 'subscriptions' || isRecurring),
  )
  const list = shown.find(name => name === params.get('list')) ?? 'customers'
  const choose = (name: List) =>
    change(
      {
        list: name === 'customers' ? null : name,
        page: null,
        status: null,
        search: null,
        list_sort: null,
        list_order: null,
      },
      { replace: true },
    )
  const others = list === 'payments' ? [] : [...new Set(firstVisitFilters(filters).others)]
  return (
    <Card label={text.title} isWide>
      <h2 className="only-read">{text.title}</h2>
      <Tabs
        label={text.title}
        tabs={shown.map(name => ({ name, label: text[name] }))}
        value={list}
        onChange={choose}
      >
        <p className={css.note}>
          {text.allTime}
          {others.length > 0 &&
            ` ${text.otherFilters(others.map(name => filterText.names[name]).join(', '))}`}
        </p>
        {list === 'customers' && <CustomerList isRecurring={isRecurring} />}
        {list === 'subscriptions' && <SubscriptionList />}
        {list === 'payments' && <PaymentList />}
      </Tabs>
    </Card>
  )
}
