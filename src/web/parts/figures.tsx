import type { ReactNode } from 'react'
import { usePlainFormat } from '../format/format.ts'
import { isTooFew } from '../format/numbers.ts'
import { useText } from '../text/text.tsx'
import css from './figures.module.css'

/** A panel with figures above and the chart of the chosen one below. */
export function FigurePanel({ figures, children }: { figures: ReactNode; children: ReactNode }) {
  return (
    <section className={css.panel}>
      {figures}
      {children}
    </section>
  )
}

export function FigureGrid({ children }: { children: ReactNode }) {
  return <div className={css.figures}>{children}</div>
}

interface Props {
  name: string
  hint?: string
  /** The number as it is shown, and with every digit. */
  shown: string
  exact: string
  isMoney?: boolean
  /** The number and that of the compared period. */
  compared?: { now: number; before: number; base?: number; isInverse?: boolean; title: string } | undefined
  /** Whether its course is the chart. */
  isChosen?: boolean
  /** Makes its course the chart; a figure without a course has none. */
  onChoose?: (() => void) | undefined
  /** A sign that shows where the number comes from; stands in the corner. */
  explain?: ReactNode
}

/** A number with its name and its change. */
export function Figure({ name, hint, shown, exact, isMoney, compared, isChosen, onChoose, explain }: Props) {
  const className = [css.figure, isMoney && css.money].filter(Boolean).join(' ')
  const content = (
    <>
      <span className={css.name} title={hint}>
        {name}
      </span>
      <strong className={css.value} title={exact}>
        {shown}
      </strong>
      {compared && (
        <small className={css.change} title={compared.title}>
          <Change {...compared} />
        </small>
      )}
    </>
  )
  return (
    <div className={css.box}>
      {onChoose ? (
        <button type="button" className={className} aria-pressed={isChosen} onClick={onChoose}>
          {content}
        </button>
      ) : (
        <div className={className}>{content}</div>
      )}
      {explain && <span className={css.explain}>{explain}</span>}
    </div>
  )
}

interface ChangeProps {
  now: number
  before: number
  /** How many were counted before: visitors, payments or customers. A change on fewer than ten has no percentage. */
  base?: number | undefined
  /** Whether less is better, as with the bounce rate. */
  isInverse?: boolean
}

/** How much a number has changed, in percent, with an arrow; nothing where there is nothing to compare with. */
export function Change({ now, before, base, isInverse = false }: ChangeProps) {
  const { change } = useText().common
  if (before === 0) return <span className={css.same}>{now === 0 ? '–' : change.fromNothing}</span>
  return (
    <PercentChange
      percent={(100 * (now - before)) / Math.abs(before)}
      {...(base !== undefined && { base })}
      isInverse={isInverse}
    />
  )
}

interface PercentProps {
  percent: number
  base?: number
  isInverse?: boolean
}

/** A dash where a number would mislead, with the reason. */
export const NoNumber = ({ why }: { why: string }) => (
  <span className={css.same} title={why}>
    <span aria-hidden="true">–</span>
    <span className="only-read">{why}</span>
  </span>
)

/** The same, of a change that is known in percent. */
export function PercentChange({ percent, base, isInverse }: PercentProps) {
  const format = usePlainFormat()
  const { change } = useText().common
  if (isTooFew(base)) return <NoNumber why={change.tooFew} />
  // From ten times on, the factor says more than a percentage.
  const shown =
    percent >= 900
      ? `×${format.exact(Math.round(1 + percent / 100))}`
      : format.roughPercent(Math.abs(percent))
  if (format.roughPercent(0) === shown) return <span className={css.same}>{shown}</span>
  const isGood = percent > 0 !== Boolean(isInverse)
  return (
    <span className={isGood ? css.good : css.bad}>
      <span aria-hidden="true">
        {percent > 0 ? '↑' : '↓'} {shown}
      </span>
      <span className="only-read">{percent > 0 ? change.up(shown) : change.down(shown)}</span>
    </span>
  )
}

export interface NamedNumber {
  name: string
  label: string
  value: ReactNode
  /** Every digit, as a tooltip. */
  title?: string
  /** In the ink of money. */
  isMoney?: boolean
}

/** Numbers side by side, each with its name. */
export function NumberList({ numbers }: { numbers: readonly NamedNumber[] }) {
  return (
    <dl className={css.list}>
      {numbers.map(({ name, label, value, title, isMoney }) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd
            className={isMoney ? `${css.numberListValue} ${css.numberListMoney}` : css.numberListValue}
            title={title}
          >
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
