import { Suspense, useEffect } from 'react'
import { setMember, useQuestion } from '../../api/session.ts'
import { lazyPart } from '../../parts/lazy-part.ts'

const SignInDialog = lazyPart(() => import('./sign-in-dialog.tsx'))
const ProveDialog = lazyPart(() => import('./prove-dialog.tsx'))

/**
 * Asks a person whose session has ended to sign in again, and one whose last proof is too old for a change to prove who they are, over the page as
 * it is: what they typed into it is kept.
 */
export function Questions({ loginId }: { loginId: string }) {
  const question = useQuestion()
  useEffect(() => {
    setMember(true)
    return () => setMember(false)
  }, [])
  if (!question) return null
  return (
    <Suspense>
      {question === 'prove' ? <ProveDialog loginId={loginId} /> : <SignInDialog loginId={loginId} />}
    </Suspense>
  )
}
