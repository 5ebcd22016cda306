import type { Inputs, Outputs } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { useValueText } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { CsvButton } from '../../parts/form/download-button.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { ListTable } from '../../parts/lists/list.tsx'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { firstVisitFilters } from './first-visit.ts'
import { ListControls } from './list-controls.tsx'
import { CustomerName, Tag } from './names.tsx'
import { useList } from './use-list.ts'

type Customer = Outputs['stats']['moneyCustomers']['data'][number]
type Sort = NonNullable<Inputs['stats']['moneyCustomers']['sort']>

const PER_PAGE = 10
const SORTS: readonly Sort[] = ['revenue', 'mrr', 'payments', 'first_payment', 'last_payment', 'first_visit']
const STATUSES = ['active', 'churned', 'one_time'] as const satisfies readonly Customer['status'][]

/** Everybody who ever paid, with what they paid and where they came from. */
export function CustomerList({ isRecurring }: { isRecurring: boolean }) {
  const { money } = useText()
  const { lists: text } = money
  const { id } = useSite()
  const { filters } = useQuestion()
  const list = useList(SORTS, STATUSES)
  const columns = useColumns(isRecurring)
  const query = { siteKey: id, ...firstVisitFilters(filters).input, ...list.query, per_page: PER_PAGE }
  const read = useStats('moneyCustomers', query)
  return (
    <>
      <ListControls
        {...list}
        statuses={money.customerStatus}
        action={<CsvButton path="stats/money/customers" query={query} name="customers" />}
      />
      <ListTable
        read={read}
        empty={text.noCustomers}
        label={text.customers}
        columns={columns}
        keyOf={row => row.id}
        {...list}
      />
    </>
  )
}

function useColumns(isRecurring: boolean): Column<Customer, Sort>[] {
  const { money } = useText()
  const { lists: text } = money
  const format = useFormat()
  const valueText = useValueText()
  const channelOf = ({ channel, source }: NonNullable<Customer['first_visit']>) =>
    channel === '' ? source || '–' : valueText('channel', channel)
  const day = (moment: string | null) =>
    moment === null ? '–' : <span title={format.time(moment)}>{format.date(moment)}</span>
  const amount = (minor: number | null) =>
    minor === null ? '–' : <span title={format.exactMoney(minor)}>{format.money(minor)}</span>
  return [
    {
      name: 'customer',
      label: text.customer,
      cell: ({ id, name, email, customer_id: other }) => (
        <CustomerName {...{ id, name, email, other }} isLong />
      ),
    },
    {
      name: 'status',
      label: text.status,
      isWide: true,
      cell: ({ status }) => <Tag>{money.customerStatus[status]}</Tag>,
    },
    {
      name: 'first_visit',
      label: text.firstVisitBy,
      sort: 'first_visit',
      isWide: true,
      cell: ({ first_visit: visit }) =>
        visit === null ? '–' : <HostileText>{channelOf(visit)}</HostileText>,
    },
    {
      name: 'first_payment',
      label: text.firstPayment,
      sort: 'first_payment',
      isNumber: true,
      isWide: true,
      cell: row => day(row.first_payment_at),
    },
    {
      name: 'last_payment',
      label: text.lastPayment,
      sort: 'last_payment',
      isNumber: true,
      isWide: true,
      cell: row => day(row.last_payment_at),
    },
    {
      name: 'payments',
      label: text.paymentCount,
      sort: 'payments',
      isNumber: true,
      isWide: true,
      cell: ({ payments }) => format.exact(payments),
    },
    {
      name: 'revenue',
      label: text.revenue,
      sort: 'revenue',
      isNumber: true,
      isMoney: true,
      cell: ({ revenue }) => amount(revenue),
    },
    ...(isRecurring
      ? [
          {
            name: 'mrr',
            label: text.mrr,
            sort: 'mrr' as const,
            isNumber: true,
            isMoney: true,
            cell: ({ mrr }: Customer) => amount(mrr),
          },
        ]
      : []),
  ]
}
