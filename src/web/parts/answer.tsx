import type { ReactNode } from 'react'
import { useAwaySince } from '../api/connection.ts'
import type { Read } from '../api/use-read.ts'
import { usePlainFormat } from '../format/format.ts'
import { useText } from '../text/text.tsx'
import css from './answer.module.css'
import { FailureNote, Skeleton } from './states.tsx'

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
