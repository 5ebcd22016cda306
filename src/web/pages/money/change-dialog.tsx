import { useState } from 'react'
import { useStats } from '../../api/use-stats.ts'
import { useFormat } from '../../format/format.ts'
import { CsvButton } from '../../parts/form/download-button.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { ListTable } from '../../parts/lists/list.tsx'
import { Dialog } from '../../parts/overlay/dialog.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import type { MrrChange } from './change-card.tsx'
import { CustomerName, KindTag } from './names.tsx'

const PER_PAGE = 25

/** All changes of MRR in the period, in pages and as a file. */
export default function ChangeDialog({ onClose }: { onClose(): void }) {
  const { money } = useText()
  const { changes: text, lists, customer, waterfall } = money
  const { input } = useQuestion()
  const format = useFormat()
  const [page, setPage] = useState(1)
  const query = { ...input, page, per_page: PER_PAGE }
  const read = useStats('moneyChanges', query)
  const columns: Column<MrrChange>[] = [
    {
      name: 'customer',
      label: lists.customer,
      cell: row => (
        <CustomerName
          id={row.customer}
          name={row.name}
          email={row.email}
          other={row.customer.slice(2)}
          isLong
        />
      ),
    },
    { name: 'kind', label: waterfall.what, cell: row => <KindTag kind={row.kind} /> },
    { name: 'at', label: customer.at, isNumber: true, isWide: true, cell: row => format.time(row.at) },
    {
      name: 'amount',
      label: waterfall.amount,
      isNumber: true,
      isMoney: true,
      cell: ({ amount }) => (amount === null ? '–' : format.exactMoney(amount)),
    },
  ]
  return (
    <Dialog
      open
      size="wide"
      title={text.title}
      onClose={onClose}
      action={<CsvButton path="stats/money/changes" query={query} name="mrr-changes" />}
    >
      <ListTable
        read={read}
        label={text.title}
        columns={columns}
        keyOf={row => `${row.at} ${row.customer}`}
        onPage={setPage}
      />
    </Dialog>
  )
}
