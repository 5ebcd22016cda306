import type { ReactNode } from 'react'
import css from './figures.module.css'

export interface Figure {
  name: string
  label: string
  value: ReactNode
  /** Every digit, as a tooltip. */
  title?: string
  /** Stands below the number. */
  note?: ReactNode
  /** In the ink of money. */
  isMoney?: boolean
}

/** Numbers side by side, each with its name. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={css.figures}>
      {figures.map(({ name, label, value, title, note, isMoney }) => (
        <div key={name}>
          <dt>{label}</dt>
          <dd className={isMoney ? `${css.value} ${css.money}` : css.value} title={title}>
            {value}
          </dd>
          {note !== undefined && <dd className={css.note}>{note}</dd>}
        </div>
      ))}
    </dl>
  )
}
