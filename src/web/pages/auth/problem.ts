import type { Failure } from '../../api/failure.ts'
import { useFailureText } from '../../parts/states.tsx'
import { useText } from '../../text/text.tsx'

/** Returns what to tell a person who is not signed in about a failure: their session cannot have ended. */
export function useProblem(): (failure: Failure | undefined) => string | undefined {
  const { auth, common } = useText()
  const textOf = useFailureText()
  return failure => {
    if (!failure) return undefined
    if (failure.kind === 'limited') return auth.tooMany
    if (failure.kind === 'too_slow') return common.states.busy
    return failure.kind === 'signed_out' ? failure.message : textOf(failure)
  }
}
