/** Longest time between two reads of the sockets of the clients; milliseconds. */
const LISTEN_EVERY_MS = 5
/** Priority of a kind that returns after a pause: it runs first until it has used this much time; milliseconds. */
const CREDIT_MS = 100

/** Waiting callers of one kind, and the total time of its turns. */
interface Line {
  waiting: (() => void)[]
  usedMs: number
}

/**
 * Queue of turns on a resource that only one caller can use. While several kinds wait, each gets the same share of the time. The
 * number of its waiting callers and the length of its turns do not matter: the reads of one team delay storing and the
 * short reads of another team only by the current turn. Callers of one kind run in the order of their requests.
 */
export class Turns {
  private readonly lines = new Map<string, Line>()
  private present: Line | undefined
  private beganAt = 0
  private listenedAt = 0
  private readonly now: () => number

  /** @param now milliseconds of any clock that does not go back */
  constructor(now = () => performance.now()) {
    this.now = now
  }

  /** Waits for a turn. */
  async acquire(kind: string): Promise<void> {
    const line = this.lineOf(kind)
    if (this.present) {
      await new Promise<void>(resolve => {
        if (line.waiting.length === 0 && line !== this.present) this.comeBack(line)
        line.waiting.push(resolve)
      })
    } else {
      this.listenedAt = this.now()
    }
    this.present = line
    this.beganAt = this.now()
  }

  /** Length of the current turn so far; milliseconds. */
  get ms(): number {
    return this.now() - this.beganAt
  }

  /** Tells whether other clients should run before the next statement of the same client. */
  isOver(): boolean {
    return this.ms >= LISTEN_EVERY_MS
  }

  release(): void {
    const now = this.now()
    this.present!.usedMs += now - this.beganAt
    // The turn is added to usedMs: without this line, comeBack() would count it twice while listen() waits.
    this.beganAt = now
    if (now - this.listenedAt < LISTEN_EVERY_MS) {
      this.passOn()
      return
    }
    // Reads the sockets before the next turn, so that closed connections, cancellations and statements with a higher
    // priority take effect.
    void listen().then(() => {
      this.listenedAt = this.now()
      this.passOn()
    })
  }

  private passOn(): void {
    let next: Line | undefined
    for (const line of this.lines.values()) {
      if (line.waiting.length > 0 && (!next || line.usedMs < next.usedMs)) next = line
    }
    if (next) {
      next.waiting.shift()!()
    } else {
      this.present = undefined
      this.lines.clear()
    }
  }

  private lineOf(kind: string): Line {
    let line = this.lines.get(kind)
    if (!line) {
      line = { waiting: [], usedMs: 0 }
      this.lines.set(kind, line)
      this.comeBack(line)
    }
    return line
  }

  private comeBack(line: Line): void {
    const used = (each: Line) => each.usedMs + (each === this.present ? this.ms : 0)
    const most = Math.max(...[...this.lines.values()].map(used))
    line.usedMs = Math.max(line.usedMs, most - CREDIT_MS)
  }
}

/** Lets Node read the sockets. A cancel request needs three rounds: accept the connection, read it, handle it. */
async function listen(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise(resolve => setImmediate(resolve))
}
