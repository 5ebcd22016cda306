/** How long turns may follow each other without a look at what clients have sent. */
const LISTEN_EVERY_MS = 5
/** How far behind the others a kind that comes back may be: it goes first for so long, and no longer. */
const CREDIT_MS = 100

/** Those of one kind that wait, and the time that its turns have taken. */
interface Line {
  waiting: (() => void)[]
  usedMs: number
}

/**
 * Whose turn it is, where only one can have one. While several kinds wait, each has the same share of the time, however many of
 * it wait and however long its turns are: filtered reads of one team keep neither storing nor the short reads of another
 * waiting for longer than the one turn that goes on. Within a kind, the first that asked comes first.
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

  /** Waits for one's turn. */
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

  /** How long the present turn has taken. */
  get ms(): number {
    return this.now() - this.beganAt
  }

  /** Whether others should have their turn before the next statement of the same client. */
  isOver(): boolean {
    return this.ms >= LISTEN_EVERY_MS
  }

  release(): void {
    const now = this.now()
    this.present!.usedMs += now - this.beganAt
    // The turn is counted: those who come while clients are listened to must not find it counted twice.
    this.beganAt = now
    if (now - this.listenedAt < LISTEN_EVERY_MS) {
      this.passOn()
      return
    }
    // What came meanwhile is read before anybody has a turn: clients that have gone, cancellations, statements that go
    // before others.
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

/** Lets what clients have sent come in: one that connects to cancel is accepted, then read, then heard. */
async function listen(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise(resolve => setImmediate(resolve))
}
