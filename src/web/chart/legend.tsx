import css from './legend.module.css'
import type { Series } from './series.ts'

/** What each ink of a chart stands for. */
export function Legend({ series }: { series: readonly Pick<Series, 'name' | 'tone'>[] }) {
  return (
    <ul className={css.legend} aria-hidden="true">
      {series.map(({ name, tone }) => (
        <li key={name}>
          <i className={`${css.key} ${css[tone]}`} />
          {name}
        </li>
      ))}
    </ul>
  )
}
