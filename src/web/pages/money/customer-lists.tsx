import { useState } from 'react'
import { api, type Outputs } from '../../api/client.ts'
import { type Read, useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { ListTable } from '../../parts/lists/list.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import type { Customer } from './customer.tsx'
import { customerOf, type Payment, SubscriptionTags } from './names.tsx'
import { usePaymentColumns } from './payment-list.tsx'

const PER_PAGE = 10

/** Reads a page of the payments of one customer. */
export function useCustomerPayments(customer: string, page: number): Read<Outputs['payments']['list']> {
  const { id, mayManage } = useSite()
  const query = { siteKey: id, customer, page, per_page: PER_PAGE }
  return useRead(['payments', query], signal => api.payments.list.query(query, { signal }), {
    enabled: mayManage,
  })
}

/** All payments of one customer, the newest first. */
export function CustomerPayments({ customer }: { customer: string }) {
  const { customer: text } = useText().money
  const [page, setPage] = useState(1)
  const read = useCustomerPayments(customer, page)
  const columns = usePaymentColumns()
  const id: Column<Payment> = {
    name: 'id',
    label: text.payments,
    cell: row => <HostileText>{row.transaction_id}</HostileText>,
  }
  return (
    <Card title={text.payments} label={text.payments} isWide>
      <ListTable
        read={read}
        empty={text.noPayments}
        label={text.payments}
        columns={[id, ...columns]}
        keyOf={row => row.transaction_id}
        onPage={setPage}
      />
    </Card>
  )
}

type Subscription = Outputs['stats']['moneySubscriptions']['data'][number]

const MOST = 100

/** The subscriptions of one customer. */
export function CustomerSubscriptions({ customer }: { customer: Customer }) {
  const { money } = useText()
  const { customer: text, lists } = money
  const { id } = useSite()
  const format = useFormat()
  const query = { siteKey: id, search: customer.id.slice(2), sort: 'started' as const, per_page: MOST }
  // The search finds other customers, too, whose key has the same part.
  const read = useRead(['moneySubscriptions', query, customer.id], async signal => {
    const { data } = await api.stats.moneySubscriptions.query(query, { signal })
    return data.filter(each => customerOf(each).id === customer.id)
  })
  const columns: Column<Subscription>[] = [
    {
      name: 'id',
      label: text.subscriptions,
      cell: row => <HostileText>{row.subscription_id}</HostileText>,
    },
    { name: 'status', label: lists.status, cell: row => <SubscriptionTags subscription={row} /> },
    {
      name: 'time',
      label: lists.started,
      isNumber: true,
      isWide: true,
      cell: ({ started_at: start, ended_at: end }) =>
        [start, end]
          .map(at => at && format.date(at))
          .filter(Boolean)
          .join(' – ') || '–',
    },
    {
      name: 'mrr',
      label: lists.mrr,
      isNumber: true,
      isMoney: true,
      cell: ({ mrr }) => (mrr === null ? '–' : format.exactMoney(mrr)),
    },
  ]
  return (
    <Card title={text.subscriptions} label={text.subscriptions}>
      <ListTable
        read={read}
        empty={text.noSubscriptions}
        label={text.subscriptions}
        columns={columns}
        keyOf={row => row.subscription_id}
      />
    </Card>
  )
}
