import { type ReactNode, Suspense, useState } from 'react'
import type { Outputs, Section } from '../../api/client.ts'
import { useStats } from '../../api/use-stats.ts'
import { useValueText } from '../../filters/filter-text.ts'
import { type Format, useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { lazyPart } from '../../parts/lazy-part.ts'
import { RankList } from '../../parts/lists/rank-list.tsx'
import { loadDialog } from '../../parts/overlay/dialog.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useQuestion, useSite } from '../../state/site.tsx'
import { remember, remembered } from '../../state/storage.ts'
import type { Dictionary } from '../../text/languages/en.ts'
import { useText } from '../../text/text.tsx'
import { ImportedLine } from './imported.tsx'
import { type Dimension, useOverview } from './metrics.ts'
import css from './overview.module.css'

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
  const read = useStats('breakdown', query)
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

/** A dimension that a card lists, or the map of countries. */
type Tab = Exclude<keyof Dictionary['overview']['cards'], 'goals' | 'prop_key'>

interface CardSpec {
  name: 'sources' | 'pages' | 'locations' | 'devices'
  section: Section
  tabs: readonly Tab[]
}

export const CARDS: readonly CardSpec[] = [
  { name: 'sources', section: 'sources', tabs: ['channel', 'source', 'referrer', 'utm_campaign'] },
  { name: 'pages', section: 'pages', tabs: ['path', 'title', 'entry_path', 'exit_path'] },
  { name: 'locations', section: 'locations', tabs: ['country', 'region', 'city', 'map'] },
  { name: 'devices', section: 'devices', tabs: ['size', 'browser', 'os', 'screen'] },
]

type Row = Outputs['stats']['breakdown']['data'][number]

/** Values of a dimension with their visitors, and with their revenue where there is any. A click filters by the value. */
export function ValueRows({ dimension, rows }: { dimension: Dimension; rows: readonly Row[] }) {
  const { common, filters, overview } = useText()
  const { can } = useSite()
  const { addFilter } = useQuestion()
  const format = useFormat()
  const valueText = useValueText()
  const hasMoney = can('revenue') && rows.some(({ revenue }) => revenue !== null && revenue !== 0)
  const all = useOverview().data?.visitors ?? 0
  const most = Math.max(...rows.map(({ visitors }) => visitors), 1)
  return (
    <RankList
      label={overview.cards[dimension as keyof typeof overview.cards] ?? filters.names[dimension]}
      heads={[filters.names[dimension], common.short.visitors, ...(hasMoney ? [common.short.revenue] : [])]}
      rows={rows.map(({ value, visitors, revenue }) => {
        const name = valueText(dimension, value)
        return {
          key: value,
          name,
          label: (
            <>
              {dimension === 'country' && /^[A-Z]{2}$/.test(value) && <i className={css.code}>{value}</i>}
              <HostileText>{name}</HostileText>
            </>
          ),
          share: visitors / most,
          ...(all > 0 && { percent: format.roughPercent((100 * visitors) / all) }),
          numbers: [
            { shown: format.count(visitors), exact: format.exact(visitors) },
            ...(hasMoney ? [moneyOf(format, revenue ?? 0)] : []),
          ],
          onChoose: () => addFilter({ name: dimension, operator: 'is', values: [value] }),
        }
      })}
    />
  )
}

const moneyOf = (format: Format, revenue: number) => ({
  shown: format.money(revenue),
  exact: format.exactMoney(revenue),
  isMoney: true,
  isZero: revenue === 0,
})

/** Opens the details of a card; says at the right how much there is. */
function CardFoot({ onDetails, children }: { onDetails(): void; children: ReactNode }) {
  const { actions } = useText().common
  return (
    <button
      type="button"
      className={css.foot}
      aria-haspopup="dialog"
      onPointerEnter={loadDialog}
      onFocus={loadDialog}
      onClick={onDetails}
    >
      <span>{actions.details}</span>
      <span>{children}</span>
    </button>
  )
}
