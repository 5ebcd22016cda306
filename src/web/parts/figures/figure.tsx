import type { ReactNode } from 'react'
import { Change } from './change.tsx'
import css from './figure.module.css'

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
