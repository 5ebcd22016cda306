import { api } from '../../api/client.ts'
import { type Read, useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './customer.module.css'
import { customerKey, type Payment } from './payment-customer.ts'
import { usePaymentColumns } from './payment-list.tsx'

/** The newest payments of the site that are read. */
const MOST = 100

interface Payments {
  /** Those of the customer. */
  found: Payment[]
  /** Number of payments that were looked through, and of all. */
  seen: number
  total: number
}

/** Reads the payments of one customer, as far as they are among the newest ones of the site. */
export function useCustomerPayments(customer: string): Read<Payments> {
  const { id, mayManage } = useSite()
  const query = { siteKey: id, per_page: MOST }
  return useRead(
    ['payments', 'of', customer, query],
    async signal => {
      const { data, meta } = await api.payments.list.query(query, { signal })
      return {
        found: data.filter(each => customerKey(each) === customer),
        seen: data.length,
        total: meta.total,
      }
    },
    { enabled: mayManage },
  )
}

export function CustomerPayments({ read }: { read: Read<Payments> }) {
  const { customer: text } = useText().money
  const { exact } = useFormat()
  const columns = usePaymentColumns()
  const id: Column<Payment> = {
    name: 'id',
    label: text.payments,
    cell: row => <HostileText>{row.transaction_id}</HostileText>,
  }
  return (
    <Card title={text.payments} label={text.payments} isWide>
      <Answer read={read}>
        {({ found, seen, total }) => (
          <>
            {found.length === 0 ? (
              <Empty title={seen < total ? text.noneAmong(exact(seen)) : text.noPayments} />
            ) : (
              <DataTable
                label={text.payments}
                columns={[id, ...columns]}
                rows={found}
                keyOf={row => row.transaction_id}
              />
            )}
            {found.length > 0 && seen < total && <p className={css.note}>{text.amongNewest(exact(seen))}</p>}
          </>
        )}
      </Answer>
    </Card>
  )
}
