import { Suspense, useEffect } from 'react'
import { setMember, useSessionEnd } from '../../api/session.ts'
import { lazyPart } from '../../parts/lazy-part.ts'

const load = () => import('./sign-in-dialog.tsx')
const SignInDialog = lazyPart(load)

/** Asks a person whose session has ended to sign in again, over the page as it is: what they typed into it is kept. */
export function SignedOut({ loginId }: { loginId: string }) {
  const hasEnded = useSessionEnd()
  useEffect(() => {
    setMember(true)
    return () => setMember(false)
  }, [])
  return hasEnded ? (
    <Suspense>
      <SignInDialog loginId={loginId} />
    </Suspense>
  ) : null
}
