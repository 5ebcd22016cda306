import type { ReactNode } from 'react'
import { useText } from '../../text/text.tsx'
import css from './rank-list.module.css'

export interface RankRow {
  key: string
  /** Name for people who cannot see the row. */
  name: string
  /** What is shown as the name. */
  label: ReactNode
  /** 0 to 1: the length of the bar behind the name. */
  share: number
  /** Percent of all, for the tooltip. */
  percent?: string
  /** Short numbers, and what they are exactly. */
  numbers: readonly { shown: string; exact: string; isMoney?: boolean; isZero?: boolean }[]
  onChoose?(): void
  /** Whether it is chosen; a row that can be, but is not, says false. */
  isChosen?: boolean
}

interface Props {
  /** Heads of the name and of each number. */
  heads: readonly string[]
  rows: readonly RankRow[]
  label: string
  /** Whether the bars are of amounts. */
  isMoney?: boolean
  /** Which numbers are left out on a phone. */
  wide?: readonly number[]
}

/** A ranking: each row with a bar for its share. A row that can be chosen is a button. */
export function RankList({ heads, rows, label, isMoney, wide = [] }: Props) {
  const { overview } = useText()
  return (
    <section aria-label={label} className={isMoney ? css.amounts : undefined}>
      <div className={css.head} aria-hidden="true">
        {heads.map((head, index) => (
          <span key={head} className={wide.includes(index - 1) ? css.wide : undefined}>
            {head}
          </span>
        ))}
      </div>
      <ol>
        {rows.map(row => (
          <li key={row.key}>
            {row.onChoose ? (
              <button
                type="button"
                className={row.isChosen ? `${css.row} ${css.chosen}` : css.row}
                aria-pressed={row.isChosen}
                onClick={row.onChoose}
                title={overview.filterBy(row.name).slice(0, LONGEST_TITLE)}
              >
                <Cells row={row} wide={wide} />
              </button>
            ) : (
              <div className={css.row}>
                <Cells row={row} wide={wide} />
              </div>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

const LONGEST_TITLE = 200

function Cells({ row, wide }: { row: RankRow; wide: readonly number[] }) {
  const { label, share, percent, numbers } = row
  return (
    <>
      <span className={css.name}>
        <span className={css.bar} style={{ width: `${Math.max(share * 100, share > 0 ? 1.5 : 0)}%` }} />
        <span className={css.text}>{label}</span>
        {percent && <span className={css.percent}>{percent}</span>}
      </span>
      {numbers.map(({ shown, exact, isMoney, isZero }, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a list stay
          key={index}
          className={`${isZero ? css.zero : isMoney ? css.money : css.number} ${wide.includes(index) ? css.wide : ''}`}
          title={exact}
        >
          {shown}
        </span>
      ))}
    </>
  )
}
