import map from 'world-map'
import { useStats } from '../../api/use-stats.ts'
import { useValueText } from '../../filters/filter-text.ts'
import { useFormat } from '../../format/format.ts'
import { Answer, Empty } from '../../parts/states.tsx'
import { useQuestion } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './overview.module.css'

const MOST_COUNTRIES = 100

/** Countries by their visitors on a map; the tab beside it has the same numbers as a list. A click filters. */
export default function CountryMap() {
  const { overview: text, common } = useText()
  const { input, totals, addFilter } = useQuestion()
  const format = useFormat()
  const valueText = useValueText()
  const query = { ...input, ...totals, dimension: 'country' as const, per_page: MOST_COUNTRIES }
  const read = useStats('breakdown', query)
  return (
    <Answer read={read}>
      {({ data }) => {
        const rows = new Map(data.map(row => [row.value, row]))
        const most = Math.max(
          0,
          ...data.filter(({ value }) => Object.hasOwn(map.countries, value)).map(row => row.visitors),
        )
        if (most === 0) return <Empty title={text.noPlaces} />
        return (
          <svg
            className={css.map}
            viewBox={`0 0 ${map.width} ${map.height}`}
            role="img"
            aria-label={`${text.cards.map}: ${text.cards.country}`}
          >
            {Object.entries(map.countries).map(([code, path]) => {
              const visitors = rows.get(code)?.visitors ?? 0
              // The root spreads few visitors apart; one visitor is still seen.
              const strength = visitors === 0 ? 0 : 18 + 82 * Math.sqrt(visitors / most)
              return (
                // biome-ignore lint/a11y/noStaticElementInteractions: the list beside it has the same for keys
                <path
                  key={code}
                  d={path}
                  className={visitors > 0 ? css.visited : css.country}
                  style={
                    visitors > 0
                      ? { fill: `color-mix(in srgb, var(--traffic) ${strength}%, var(--line-soft))` }
                      : undefined
                  }
                  onClick={
                    visitors > 0
                      ? () => addFilter({ name: 'country', operator: 'is', values: [code] })
                      : undefined
                  }
                >
                  <title>{`${valueText('country', code)}: ${common.visitors(format.exact(visitors))}`}</title>
                </path>
              )
            })}
          </svg>
        )
      }}
    </Answer>
  )
}
