import type { ReactNode } from 'react'
import css from './number-list.module.css'

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
          <dd className={isMoney ? `${css.value} ${css.money}` : css.value} title={title}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
