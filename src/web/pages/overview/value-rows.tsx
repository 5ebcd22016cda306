import type { Outputs } from '../../api/types.ts'
import { useValueText } from '../../filters/value-text.ts'
import { type Format, useFormat } from '../../format/format.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import { RankList } from '../../parts/lists/rank-list.tsx'
import { useQuestion, useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import type { Dimension } from './dimension.ts'
import { useOverview } from './use-overview.ts'
import css from './value-rows.module.css'

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
