import type { CSSProperties } from 'react'
import { useFormat } from '../../format/format.ts'
import { Change } from '../../parts/figures/change.tsx'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useText } from '../../text/text.tsx'
import type { Report } from './funnel-report.tsx'
import css from './funnel-steps.module.css'

/** Each step as a bar: what reaches it is filled, what stopped before it is hatched, and the compared period is a dashed line. */
export function FunnelSteps({ report: { by, steps, previous } }: { report: Report }) {
  const { funnels: text } = useText()
  const format = useFormat()
  return (
    <ol className={css.steps} style={{ '--steps': steps.length } as CSSProperties}>
      {steps.map((step, index) => {
        const before = previous?.steps[index]
        const { name, count, conversion_rate: rate, step_rate: stepRate, drop_off: left } = step
        const shares = {
          '--share': rate / 100,
          '--came': (steps[index - 1]?.conversion_rate ?? 100) / 100,
          '--before': (before?.conversion_rate ?? 0) / 100,
        } as CSSProperties
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two steps may have the same name
          <li key={index} className={css.step} style={shares}>
            <h3 className={css.name}>
              <span className={css.number}>{index + 1}</span>
              <HostileText>{name}</HostileText>
            </h3>
            <div className={css.track} aria-hidden="true">
              <i className={css.lost} />
              <i className={css.bar} />
              {before && index > 0 && <i className={css.before} />}
            </div>
            <p className={css.count}>
              <strong>{text.reach[by](format.exact(count))}</strong>{' '}
              {before && (
                <small title={text.before(format.exact(before.count))}>
                  <Change now={count} before={before.count} base={before.count} />
                </small>
              )}
            </p>
            {index > 0 && (
              <ul className={css.facts}>
                <li title={before && text.before(format.percent(before.conversion_rate))}>
                  <b>{format.percent(rate)}</b> {text.ofAll}
                </li>
                <li title={before && text.before(format.percent(before.step_rate))}>
                  <b>{format.percent(stepRate)}</b> {text.ofBefore}
                </li>
                <li>{text.dropOff(format.exact(left))}</li>
                {step.median_seconds !== null && <li>{text.median(format.duration(step.median_seconds))}</li>}
              </ul>
            )}
          </li>
        )
      })}
    </ol>
  )
}
