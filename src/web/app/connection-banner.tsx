import { useAwaySince } from '../api/connection.ts'
import { usePlainFormat } from '../format/format.ts'
import { useMissingPart } from '../parts/lazy-part.ts'
import { useText } from '../text/text.tsx'
import css from './connection-banner.module.css'
import { ReloadButton } from './reload-button.tsx'

/** Says above each page that the service does not answer, or that a part of the page could not be loaded. */
export function ConnectionBanner() {
  const { states } = useText().common
  const format = usePlainFormat()
  const since = useAwaySince()
  const isMissing = useMissingPart()
  return (
    <div role="status">
      {since && <p className={css.banner}>{states.offline(format.time(since))}</p>}
      {!since && isMissing && (
        <p className={css.banner}>
          {states.missingPart} <ReloadButton />
        </p>
      )}
    </div>
  )
}
