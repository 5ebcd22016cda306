import { useState } from 'react'
import { useStats } from '../../api/use-stats.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { RankList } from '../../parts/lists/rank-list.tsx'
import { Answer, Empty } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { FILTERS } from '../../state/filters.ts'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import { firstVisitFilters } from './first-visit.ts'
import { DIMENSIONS, type MoneyDimension, useSourceName } from './source-rows.ts'

const SHOWN = 7

/** What customers are worth by where they came from at first, whatever the period. */
export function LifetimeCard() {
  const { money } = useText()
  const { sources, lifetime: text } = money
  const { can } = useSite()
  const tabs = DIMENSIONS.filter(name => can(FILTERS[name]))
  const [tab, setTab] = useState<MoneyDimension>(tabs[0]!)
  if (tabs.length === 0) return null
  return (
    <Card title={text.title} note={text.note} label={text.title}>
      <Tabs<MoneyDimension>
        label={text.title}
        tabs={tabs.map(name => ({ name, label: sources.tabs[name] }))}
        value={tab}
        onChange={setTab}
      >
        <Values key={tab} dimension={tab} />
      </Tabs>
    </Card>
  )
}

function Values({ dimension }: { dimension: MoneyDimension }) {
  const { money, filters } = useText()
  const { lifetime: text } = money
  const { id } = useSite()
  const format = useFormat()
  const nameOf = useSourceName()
  const { filters: chosen, addFilter } = useQuestion()
  const query = { siteKey: id, ...firstVisitFilters(chosen).input, dimension, per_page: SHOWN }
  const read = useStats('moneyLifetimeValue', query)
  const amount = (minor: number | null) => ({
    shown: minor === null ? '–' : format.money(minor),
    exact: minor === null ? '–' : format.exactMoney(minor),
    isMoney: true,
  })
  return (
    <Answer read={read}>
      {({ data }) => {
        if (data.length === 0) return <Empty />
        const most = Math.max(...data.map(({ lifetime_value: value }) => value ?? 0), 1)
        return (
          <RankList
            label={text.title}
            isMoney
            wide={[0]}
            heads={[filters.names[dimension], text.customers, text.paid, text.value]}
            rows={data.map(({ value, customers, revenue, lifetime_value: worth }) => ({
              key: value,
              name: nameOf(dimension, value),
              label: <HostileText>{nameOf(dimension, value)}</HostileText>,
              share: (worth ?? 0) / most,
              numbers: [
                { shown: format.count(customers), exact: format.exact(customers) },
                amount(revenue),
                amount(worth),
              ],
              onChoose: () => addFilter({ name: dimension, operator: 'is', values: [value] }),
            }))}
          />
        )
      }}
    </Answer>
  )
}
