import { api } from '../../api/client.ts'
import type { Outputs } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/states.tsx'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import type { Customer } from './customer-numbers.tsx'
import { customerOf } from './subscription-customer.ts'
import { SubscriptionTags } from './subscription-tags.tsx'

type Subscription = Outputs['stats']['moneySubscriptions']['data'][number]

const MOST = 100

/** The subscriptions of one customer. */
export function CustomerSubscriptions({ customer }: { customer: Customer }) {
  const { money } = useText()
  const { customer: text, lists } = money
  const { id } = useSite()
  const format = useFormat()
  const query = { siteKey: id, search: customer.id.slice(2), sort: 'started' as const, per_page: MOST }
  const read = useRead(['moneySubscriptions', query], signal =>
    api.stats.moneySubscriptions.query(query, { signal }),
  )
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
      <Answer read={read}>
        {({ data }) => {
          const own = data.filter(each => customerOf(each).id === customer.id)
          if (own.length === 0) return <Empty title={text.noSubscriptions} />
          return (
            <DataTable
              label={text.subscriptions}
              columns={columns}
              rows={own}
              keyOf={row => row.subscription_id}
            />
          )
        }}
      </Answer>
    </Card>
  )
}
