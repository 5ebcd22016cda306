import { useAwaySince } from '../api/connection.ts'
import { useShareDone } from '../api/use-read.ts'
import { usePlainFormat } from '../format/format.ts'
import { useMissingPart } from '../parts/lazy-part.ts'
import { useText } from '../text/text.tsx'
import css from './connection-banner.module.css'
import { ReloadButton } from './message-pages.tsx'

/** Says on each page that the service does not answer, that it is preparing an answer, or that a part of the page could not be loaded. */
export function ConnectionBanner() {
  const { states } = useText().common
  const format = usePlainFormat()
  const since = useAwaySince()
  const isMissing = useMissingPart()
  const share = useShareDone()
  return (
    <div role="status">
      {since && <p className={css.banner}>{states.offline(format.time(since))}</p>}
      {!since && share !== undefined && (
        <p className={css.banner}>{states.preparing(Math.floor(100 * share))}</p>
      )}
      {!since && isMissing && (
        <p className={css.banner}>
          {states.missingPart} <ReloadButton />
        </p>
      )}
    </div>
  )
}
