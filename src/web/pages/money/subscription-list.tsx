import type { Inputs, Outputs } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { useFormat } from '../../format/format.ts'
import { CsvButton } from '../../parts/form/download-button.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { ListTable } from '../../parts/lists/list.tsx'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { firstVisitFilters } from './first-visit.ts'
import { ListControls } from './list-controls.tsx'
import { CustomerName, customerOf, SubscriptionTags } from './names.tsx'
import { useList } from './use-list.ts'

type Subscription = Outputs['stats']['moneySubscriptions']['data'][number]
type Sort = NonNullable<Inputs['stats']['moneySubscriptions']['sort']>
type Status = NonNullable<Inputs['stats']['moneySubscriptions']['status']>

const PER_PAGE = 10
const SORTS: readonly Sort[] = ['mrr', 'started', 'ended']

/** Subscriptions as they are now. */
export function SubscriptionList() {
  const { money } = useText()
  const { lists: text } = money
  const { id } = useSite()
  const { filters } = useQuestion()
  const list = useList(SORTS, Object.keys(money.subscriptionStatus) as Status[])
  const columns = useSubscriptionColumns()
  const query = { siteKey: id, ...firstVisitFilters(filters).input, ...list.query, per_page: PER_PAGE }
  const read = useStats('moneySubscriptions', query)
  return (
    <>
      <ListControls
        {...list}
        statuses={money.subscriptionStatus satisfies Record<Status, string>}
        action={<CsvButton path="stats/money/subscriptions" query={query} name="subscriptions" />}
      />
      <ListTable
        read={read}
        empty={text.noSubscriptions}
        label={text.subscriptions}
        columns={columns}
        keyOf={row => row.subscription_id}
        {...list}
      />
    </>
  )
}

function useSubscriptionColumns(): Column<Subscription, Sort>[] {
  const { lists: text } = useText().money
  const format = useFormat()
  const day = (moment: string | null) =>
    moment === null ? '–' : <span title={format.time(moment)}>{format.date(moment)}</span>
  return [
    {
      name: 'customer',
      label: text.customer,
      cell: row => <CustomerName {...customerOf(row)} isLong />,
    },
    { name: 'status', label: text.status, cell: row => <SubscriptionTags subscription={row} /> },
    {
      name: 'started',
      label: text.started,
      sort: 'started',
      isNumber: true,
      isWide: true,
      cell: row => day(row.started_at),
    },
    {
      name: 'ended',
      label: text.ended,
      sort: 'ended',
      isNumber: true,
      isWide: true,
      cell: row => day(row.ended_at),
    },
    {
      name: 'mrr',
      label: text.mrr,
      sort: 'mrr',
      isNumber: true,
      isMoney: true,
      cell: ({ mrr }) =>
        mrr === null ? '–' : <span title={format.exactMoney(mrr)}>{format.money(mrr)}</span>,
    },
  ]
}
