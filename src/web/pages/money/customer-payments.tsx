import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { type Read, useRead } from '../../api/use-read.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Pager } from '../../parts/lists/pager.tsx'
import { Empty } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import type { Payment } from './payment-customer.ts'
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
      <Answer read={read}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty title={text.noPayments} />
          ) : (
            <>
              <DataTable
                label={text.payments}
                columns={[id, ...columns]}
                rows={data}
                keyOf={row => row.transaction_id}
              />
              <Pager meta={meta} onPage={setPage} />
            </>
          )
        }
      </Answer>
    </Card>
  )
}
