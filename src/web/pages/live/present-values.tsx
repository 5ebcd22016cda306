import { useRef } from 'react'
import type { Outputs } from '../../api/types.ts'
import { useValueText } from '../../filters/value-text.ts'
import { useFormat } from '../../format/format.ts'
import { Card } from '../../parts/card.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { RankList } from '../../parts/lists/rank-list.tsx'
import { useText } from '../../text/text.tsx'
import css from './live.module.css'

interface Props {
  title: string
  head: string
  name: 'path' | 'source' | 'country'
  rows: Outputs['stats']['live']['pages']
}

const FEWEST = 4
/** Height of a row, in pixels. */
const ROW = 35

/** Values of the visits of this moment. The list grows and never shrinks, so that nothing below it jumps. */
export function PresentValues({ title, head, name, rows }: Props) {
  const { common, explore } = useText()
  const { exact } = useFormat()
  const textOf = useValueText()
  const most = useRef(FEWEST)
  most.current = Math.max(most.current, rows.length)
  return (
    <Card title={title}>
      <div style={{ minHeight: (most.current + 1) * ROW }}>
        {rows.length === 0 ? (
          <p className={css.hint}>{explore.live.noVisitor}</p>
        ) : (
          <RankList
            label={title}
            heads={[head, common.short.visitors]}
            rows={rows.map(({ value, visitors }) => ({
              key: value,
              name: textOf(name, value),
              label: <HostileText>{textOf(name, value)}</HostileText>,
              share: visitors / Math.max(1, rows[0]!.visitors),
              numbers: [{ shown: exact(visitors), exact: exact(visitors) }],
            }))}
          />
        )}
      </div>
    </Card>
  )
}
