import { isMainThread, Worker } from 'node:worker_threads'
import type { Interrupt } from './interrupt.ts'
import type { Log } from './server-log.ts'

export interface StatementLimits {
  /** Time limit of a statement without a `statement_timeout` of its client; milliseconds. */
  statementMs: number
  /** Time after the limit, or after the client's `statement_timeout`, until the process is killed; milliseconds. */
  graceMs: number
}

export const STATEMENT_LIMITS: StatementLimits = { statementMs: 20_000, graceMs: 10_000 }

const LOOK_EVERY_MS = 250
/** Room for the name of a statement. */
const NAME_BYTES = 64

/** Layout of the state that both threads share: number of the current run (0: none), its limit in ms (0: none), its name. */
const RUNNING = 0
const LIMIT = 1
const NAME_AT = 8

/** Global name of the cancel function: the thread can only evaluate an expression. */
const GLOBAL = 'analyticsStatementWatchdog'

/**
 * Ends statements that run too long. The running module blocks its thread, so a second thread checks the time. It cancels the
 * statement through the inspector, whose messages are handled even while WebAssembly runs. If the statement does not end,
 * it kills the process, which the parent process starts again.
 */
export class Watchdog {
  private readonly limits: StatementLimits
  private readonly interrupt: Interrupt | undefined
  private readonly log: Log
  private readonly state = new Int32Array(new SharedArrayBuffer(NAME_AT + NAME_BYTES))
  private readonly name = Buffer.from(this.state.buffer, NAME_AT, NAME_BYTES)
  private readonly thread: Worker
  private runNo = 0
  private startedAt = 0
  private isRequested = false

  /** @param interrupt undefined when a statement cannot be cancelled; then only killing the process ends it */
  constructor(limits: StatementLimits, interrupt: Interrupt | undefined, log: Log) {
    this.limits = limits
    this.interrupt = interrupt
    this.log = log
    // The thread runs the source text of `watch()`, so it needs no file and works from any build folder. tsx adds calls of
    // `__name` to functions, so the text defines it.
    this.thread = new Worker(`const __name = named => named; (${watch.toString()})(require)`, {
      eval: true,
      workerData: {
        state: this.state,
        name: this.name,
        everyMs: LOOK_EVERY_MS,
        graceMs: limits.graceMs,
        expression: `globalThis.${GLOBAL}`,
        canCancel: interrupt !== undefined && isMainThread,
      } satisfies WatchedState,
    })
    this.thread.unref()
    // The database keeps running without a watchdog.
    this.thread.on('error', err =>
      log.error({ err }, 'the watchdog of statements failed: no statement is ended when it runs too long'),
    )
    Object.assign(globalThis, { [GLOBAL]: (runNo: number) => this.cancel(runNo) })
  }

  /**
   * Records the start of a statement.
   * @param limitMs its `statement_timeout`; 0 for none; undefined when its client has set none
   */
  begin(limitMs: number | undefined, name: string): void {
    this.runNo = (this.runNo % 0x3fff_ffff) + 1
    this.startedAt = performance.now()
    this.name.fill(0)
    this.name.write(name, 'latin1')
    Atomics.store(this.state, LIMIT, Math.min(limitMs ?? this.limits.statementMs, 0x7fff_ffff))
    Atomics.store(this.state, RUNNING, this.runNo)
  }

  end(name: string): void {
    Atomics.store(this.state, RUNNING, 0)
    if (!this.isRequested) return
    this.isRequested = false
    this.interrupt!.withdraw()
    const ms = Math.round(performance.now() - this.startedAt)
    this.log.warn({ statement: name, ms }, 'a statement ran too long and was ended')
  }

  async close(): Promise<void> {
    await this.thread.terminate()
  }

  /** Cancels the run with this number. Called during a statement, or after it has ended. */
  private cancel(runNo: number): void {
    if (Atomics.load(this.state, RUNNING) !== runNo) return
    this.isRequested = true
    this.interrupt!.request()
  }
}

/** Data that the thread receives. */
interface WatchedState {
  state: Int32Array
  name: Uint8Array
  everyMs: number
  graceMs: number
  expression: string
  canCancel: boolean
}

/**
 * Runs in the thread from its source text, so it cannot use any other name of this file. One step counts at most 10 intervals, so
 * that a pause of the process (for example, a stopped container) does not count as time of a statement.
 */
function watch(require: NodeJS.Require): void {
  const { workerData } = require('node:worker_threads')
  const { writeSync } = require('node:fs')
  const { state, name, everyMs, graceMs, expression, canCancel } = workerData as WatchedState
  const longestStepMs = 10 * everyMs
  let seen = 0
  let ranMs = 0
  let isTold = false
  let lookedAt = performance.now()

  function cancel(runNo: number): void {
    const { Session } = require('node:inspector')
    const session = new Session()
    session.connectToMainThread()
    session.post('Runtime.evaluate', { expression: `${expression}(${runNo})` }, () => session.disconnect())
  }

  function endProcess(): void {
    const line = {
      level: 60,
      time: new Date().toISOString(),
      pid: process.pid,
      role: 'database',
      statement: Buffer.from(name).toString('latin1').replace(/\0.*/, ''),
      ms: Math.round(ranMs),
      msg: 'a statement ran too long and cannot be ended; the database is started again',
    }
    try {
      writeSync(1, `${JSON.stringify(line)}\n`)
    } finally {
      process.kill(process.pid, 'SIGKILL')
    }
  }

  setInterval(() => {
    const now = performance.now()
    const stepMs = Math.min(now - lookedAt, longestStepMs)
    lookedAt = now
    const running = Atomics.load(state, 0)
    if (running === 0 || running !== seen) {
      seen = running
      ranMs = 0
      isTold = false
      return
    }
    ranMs += stepMs
    const limitMs = Atomics.load(state, 1)
    if (limitMs === 0) return
    if (ranMs >= limitMs && !isTold && canCancel) {
      isTold = true
      cancel(running)
    }
    if (ranMs >= limitMs + graceMs) endProcess()
  }, everyMs)
}
