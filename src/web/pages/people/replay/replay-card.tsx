import { type ReactNode, Suspense } from 'react'
import { Link } from 'wouter'
import { Card } from '../../../parts/card.tsx'
import { Button } from '../../../parts/form/button.tsx'
import { lazyPart } from '../../../parts/lazy-part.ts'
import { Skeleton } from '../../../parts/states.tsx'
import { useAddress, useLinks } from '../../../state/address.ts'
import { useText } from '../../../text/text.tsx'
import css from '../people.module.css'
import type { SessionRow } from '../session-list.tsx'

const Player = lazyPart(() => import('./player.tsx'))

/** The recording of a visit: it is loaded when it is opened. A moment in the address opens it there. */
export function ReplayCard({ session }: { session: SessionRow }) {
  const { common, replay } = useText()
  const { params, change } = useAddress()
  const isOpen = params.has('at')
  return (
    <div className={css.whole}>
      <Card
        title={replay.title}
        action={
          isOpen ? (
            <Button kind="quiet" onClick={() => change({ at: null }, { replace: true })}>
              {common.actions.close}
            </Button>
          ) : (
            <Button onClick={() => change({ at: '0' })}>
              <span aria-hidden="true">▶</span>
              {replay.watch}
            </Button>
          )
        }
      >
        {isOpen && (
          <Suspense fallback={<Skeleton rows={2} />}>
            <Player key={session.session_id} session={session} />
          </Suspense>
        )}
      </Card>
    </div>
  )
}

/** Leads to the recording of a visit. Without a text it is a mark. */
export function WatchLink({ session, children }: { session: string; children?: ReactNode }) {
  const { replay } = useText()
  const linkTo = useLinks()
  return (
    <Link
      href={linkTo(`/sessions/${session}`, { at: '0' })}
      className={css.watch}
      title={replay.watch}
      aria-label={replay.watch}
    >
      <span aria-hidden="true">▶</span>
      {children}
    </Link>
  )
}
