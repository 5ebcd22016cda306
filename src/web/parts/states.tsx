import type { ReactNode } from 'react'
import { useAwaySince } from '../api/connection.ts'
import type { Failure } from '../api/failure.ts'
import { askFor } from '../api/session.ts'
import type { Read } from '../api/use-read.ts'
import { usePlainFormat } from '../format/format.ts'
import { useText } from '../text/text.tsx'
import { Button } from './form/button.tsx'
import css from './states.module.css'

/** Says that there is nothing, and what to do about it. */
export function Empty({ title, children }: { title?: string; children?: ReactNode }) {
  const t = useText()
  return (
    <div className={css.empty}>
      <p>{title ?? t.common.states.empty}</p>
      {children}
    </div>
  )
}

/** What the service says of an answer that takes too long; it has other reasons to be unavailable. */
const TOO_SLOW = /too long|shorter range/

/** Returns what to tell a person about a failure: in their language where it is a usual one, else what the service said. */
export function useFailureText(): (failure: Failure) => string {
  const { states } = useText().common
  return ({ kind, message }) => {
    if (kind === 'too_slow') return TOO_SLOW.test(message) ? states.tooSlow : states.unavailable
    if (kind === 'away') return states.away
    if (kind === 'limited') return states.limited
    if (kind === 'signed_out') return states.signedOut
    return kind === 'unknown' ? states.unknown : message
  }
}

/** Says why something cannot be shown, with a button that helps: to try it again, or to sign in. */
export function FailureNote({ failure, again }: { failure: Failure; again?: () => void }) {
  const t = useText()
  const textOf = useFailureText()
  return (
    <div className={css.failure} role="alert">
      <p>{textOf(failure)}</p>
      {failure.kind === 'signed_out' ? (
        <Button onClick={() => void askFor('sign_in')}>{t.auth.signIn}</Button>
      ) : (
        again && <Button onClick={again}>{t.common.actions.again}</Button>
      )}
    </div>
  )
}

/** Stands in the place of rows until they are there for the first time. */
export function Skeleton({ rows = 6, height = 32 }: { rows?: number; height?: number }) {
  const t = useText()
  return (
    <div className={css.skeleton} role="status" aria-label={t.common.states.loading}>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without content
        <span key={index} style={{ height: height - 8, width: `${92 - ((index * 29) % 50)}%` }} />
      ))}
    </div>
  )
}

interface Props<Data> {
  read: Read<Data>
  /** Shown until there is an answer for the first time. */
  placeholder?: ReactNode
  children: (data: Data) => ReactNode
}

/** Shows the answer of a read in each of its states; while another one is loading, the one before stays. */
export function Answer<Data>({ read, placeholder, children }: Props<Data>) {
  const { data, failure, isOld, readAt, again } = read
  const isAway = useAwaySince() !== undefined || failure?.kind === 'away'
  // Data that was there before a later read of the same question failed is still right.
  if (failure && (data === undefined || isOld || failure.kind !== 'away')) {
    return <FailureNote failure={failure} again={again} />
  }
  if (data === undefined) return placeholder ?? <Skeleton />
  return (
    <div className={isOld || isAway ? css.old : undefined} aria-busy={(isOld && !isAway) || undefined}>
      {isAway && readAt && <AsOf moment={readAt} />}
      {children(data)}
    </div>
  )
}

/** Says how old numbers are that cannot be read anew. */
function AsOf({ moment }: { moment: Date }) {
  const { states } = useText().common
  const { time } = usePlainFormat()
  return <p className={css.since}>{states.asOf(time(moment))}</p>
}

/** Says that something has happened, or what is important to know before it does. */
export function Notice({ children, isProblem }: { children: ReactNode; isProblem?: boolean }) {
  return (
    <div
      className={isProblem ? `${css.notice} ${css.problem}` : css.notice}
      role={isProblem ? 'alert' : 'status'}
    >
      {children}
    </div>
  )
}
