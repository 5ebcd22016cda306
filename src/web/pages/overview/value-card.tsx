import { Suspense, useState } from 'react'
import { api } from '../../api/client.ts'
import { useRead } from '../../api/use-read.ts'
import { useFormat } from '../../format/format.ts'
import { Answer } from '../../parts/answer.tsx'
import { Card } from '../../parts/card.tsx'
import { lazyPart } from '../../parts/lazy-part.ts'
import { Empty } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useQuestion } from '../../state/site.tsx'
import { remember, remembered } from '../../state/storage.ts'
import { useText } from '../../text/text.tsx'
import { CardFoot } from './card-foot.tsx'
import type { CardSpec, Tab } from './cards.ts'
import type { Dimension } from './dimension.ts'
import { ImportedLine } from './imported-line.tsx'
import { ValueRows } from './value-rows.tsx'

const DetailDialog = lazyPart(() => import('./detail-dialog.tsx'))
const CountryMap = lazyPart(() => import('./country-map.tsx'))

const SHOWN = 7

/** A card with the most frequent values of a dimension; its tabs are the dimensions. The tab of before is remembered. */
export function ValueCard({ card, label }: { card: CardSpec; label: string }) {
  const { overview: text } = useText()
  const stored = `card ${card.name}`
  const [tab, setTab] = useState<Tab>(
    () => card.tabs.find(name => name === remembered(stored)) ?? card.tabs[0]!,
  )
  const choose = (name: Tab) => {
    remember(stored, name)
    setTab(name)
  }
  return (
    <Card label={label}>
      <Tabs
        label={label}
        tabs={card.tabs.map(name => ({ name, label: text.cards[name] }))}
        value={tab}
        onChange={choose}
      >
        {tab === 'map' ? (
          <Suspense>
            <CountryMap />
          </Suspense>
        ) : (
          <Values key={tab} dimension={tab} />
        )}
      </Tabs>
    </Card>
  )
}

function Values({ dimension }: { dimension: Dimension }) {
  const { overview: text } = useText()
  const { exact } = useFormat()
  const { input, totals } = useQuestion()
  const [isOpen, setOpen] = useState(false)
  const query = { ...input, ...totals, dimension, per_page: SHOWN }
  const read = useRead(['breakdown', query], signal => api.stats.breakdown.query(query, { signal }))
  return (
    <Answer read={read}>
      {({ data, meta, imported }) =>
        data.length === 0 ? (
          <>
            <Empty />
            <ImportedLine imported={imported} />
          </>
        ) : (
          <>
            <ValueRows dimension={dimension} rows={data} />
            <ImportedLine imported={imported} />
            <CardFoot onDetails={() => setOpen(true)}>{text.found.values(exact(meta.total))}</CardFoot>
            <Suspense>
              {isOpen && <DetailDialog dimension={dimension} onClose={() => setOpen(false)} />}
            </Suspense>
          </>
        )
      }
    </Answer>
  )
}
