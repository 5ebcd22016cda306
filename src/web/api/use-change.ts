import { useMutation } from '@tanstack/react-query'
import { type Failure, failureOf } from './failure.ts'
import { changeSignedIn } from './session.ts'
import { queries } from './use-read.ts'

export interface Change<Input, Output> {
  /** Sends the change. Resolves to undefined when it failed; `failure` then says why. */
  send(input: Input): Promise<Output | undefined>
  isSending: boolean
  failure: Failure | undefined
  forgetFailure(): void
}

/** An answer without content is `true`: undefined means a failure. */
type Done<Output> = Output extends undefined ? true : Output

/**
 * Changes something of the service.
 * @param changes beginnings of the keys of reads that have another answer afterwards
 */
export function useChange<Output>(
  change: () => Promise<Output>,
  changes?: readonly (readonly unknown[])[],
): Change<void, Done<Output>>
export function useChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
  changes?: readonly (readonly unknown[])[],
): Change<Input, Done<Output>>
export function useChange<Input, Output>(
  change: (input: Input) => Promise<Output>,
  changes: readonly (readonly unknown[])[] = [],
): Change<Input, Done<Output>> {
  const { mutateAsync, isPending, error, reset } = useMutation({
    mutationFn: (input: Input) => changeSignedIn(() => change(input)),
    onSuccess: () => Promise.all(changes.map(queryKey => queries.invalidateQueries({ queryKey }))),
  })
  return {
    send: input =>
      mutateAsync(input).then(
        output => (output ?? true) as Done<Output>,
        () => undefined,
      ),
    isSending: isPending,
    failure: error ? failureOf(error) : undefined,
    forgetFailure: reset,
  }
}
