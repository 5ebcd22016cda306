import { usePlainFormat } from '../../format/format.ts'
import { useText } from '../../text/text.tsx'
import { isTooFew } from './base.ts'
import css from './change.module.css'

interface Props {
  now: number
  before: number
  /** How many were counted before: visitors, payments or customers. A change on fewer than ten has no percentage. */
  base?: number | undefined
  /** Whether less is better, as with the bounce rate. */
  isInverse?: boolean
}

/** How much a number has changed, in percent, with an arrow; nothing where there is nothing to compare with. */
export function Change({ now, before, base, isInverse = false }: Props) {
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
