import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { CsvButton } from '../../parts/form/download-button.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { List } from '../../parts/lists/list.tsx'
import { usePage } from '../../state/address.ts'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './customers.module.css'
import { CustomerName, customerOfPayment, type Payment, Tag } from './names.tsx'

const PER_PAGE = 10

/** All payments, the newest first, each in its own currency. */
export function PaymentList() {
  const { lists: text } = useText().money
  const { id, currency } = useSite()
  const [page, onPage] = usePage()
  const query = { siteKey: id, page, per_page: PER_PAGE }
  const read = useRead(['payments', query], signal => api.payments.list.query(query, { signal }))
  const columns = usePaymentColumns()
  const customer: Column<Payment> = {
    name: 'customer',
    label: text.customer,
    cell: row => <CustomerName {...customerOfPayment(row, currency)} isLong />,
  }
  return (
    <List read={read} empty={text.noPayments} onPage={onPage}>
      {rows => (
        <>
          <div className={css.controls}>
            <span className={css.grow} />
            <CsvButton path="payments" query={{ siteKey: id }} name="payments" />
          </div>
          <DataTable
            label={text.payments}
            columns={[customer, ...columns]}
            rows={rows}
            keyOf={row => row.transaction_id}
          />
        </>
      )}
    </List>
  )
}

/** What a payment is, without its customer. */
export function usePaymentColumns(): Column<Payment>[] {
  const { lists: text } = useText().money
  const format = useFormat()
  return [
    {
      name: 'tags',
      label: text.status,
      isWide: true,
      cell: ({ refunded, refunded_amount: part, currency, renewal, is_free_trial: isTrial }) => (
        <span className={css.tags}>
          {refunded && <Tag tone="bad">{text.refunded}</Tag>}
          {!refunded && part > 0 && (
            <Tag tone="bad">{text.partlyRefunded(format.exactMoney(part, currency))}</Tag>
          )}
          {renewal && <Tag>{text.renewal}</Tag>}
          {isTrial && <Tag>{text.trial}</Tag>}
        </span>
      ),
    },
    {
      name: 'source',
      label: text.origin,
      isWide: true,
      cell: ({ source }) => text.origins[source],
    },
    {
      name: 'at',
      label: text.paidAt,
      isNumber: true,
      cell: ({ timestamp }) => format.time(timestamp),
    },
    {
      name: 'amount',
      label: text.amount,
      isNumber: true,
      isMoney: true,
      cell: ({ amount, currency }) => format.exactMoney(amount, currency),
    },
  ]
}
