import type { Log } from '../runtime/log.ts'

/** What a server sends beside results. `routine` is the function that made it; unlike the message, it is never translated. */
interface Notice {
  routine?: string
}

let count = 0
const listeners = new Set<() => void>()

/**
 * Looks for the warning of a commit that is on this server alone: its wait for the synchronous standby was cancelled. The server reports
 * the commit as a success nevertheless, and a fail-over would lose it.
 */
export function noticeUnreplicated(notice: Notice): void {
  if (notice.routine !== 'SyncRepWaitForLSN') return
  count += 1
  for (const listener of listeners) listener()
}

/** Returns how many such commits this process has made. */
export const unreplicatedCommits = (): number => count

/** Logs and counts such commits. */
export function watchUnreplicated(log: Log, counter: { inc(): void }): void {
  listeners.add(() => {
    counter.inc()
    log.warn(
      {},
      'a commit is on the primary alone: its wait for the synchronous standby was cancelled. A fail-over would lose it.',
    )
  })
}

/** Its SQLSTATE makes the caller run the transaction again. */
export class Unreplicated extends Error {
  readonly code = '40001'
}
