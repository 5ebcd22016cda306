import { COPY_DATA, COPY_DONE, COPY_FAIL, copyFail, QUERY, SYNC, TERMINATE } from './protocol.ts'
import type { OwnedMessage } from './statements.ts'

/** Most messages of one call: enough to be fast, few enough that other clients do not wait long. */
const BATCH_MESSAGES = 256
const BATCH_BYTES = 1024 * 1024
/** Bytes received but not yet run; above this the socket is paused. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024

interface Pending extends OwnedMessage {
  receivedAt: number
  /** Messages with rows of a COPY that has not got all of them; they run in one call with it. */
  rows?: Buffer[] | undefined
}

const isOfCopy = ([type]: Buffer) => type === COPY_DATA || type === COPY_DONE || type === COPY_FAIL

/** The rows of one COPY; they are in memory twice. */
const MAX_COPY_BYTES = 64 * 1024 * 1024

/** Messages of one client that have not run yet. */
export class MessageQueue {
  private readonly pending: Pending[] = []
  private bytes = 0

  get isEmpty(): boolean {
    return this.pending.length === 0
  }

  /** True when the client must not send more until some messages have run. */
  get isFull(): boolean {
    return this.bytes > MAX_PENDING_BYTES
  }

  /** True when a COPY has more rows than may wait: they run together. */
  get isOverfull(): boolean {
    return this.bytes > MAX_COPY_BYTES
  }

  get first(): Pending | undefined {
    return this.pending[0]
  }

  /** Type byte of the first message. */
  get firstType(): number | undefined {
    return this.pending[0]?.bytes[0]
  }

  /** Effect of the first message that has an effect on the unnamed statement. */
  get effectOnUnnamed(): OwnedMessage['unnamed'] {
    return this.pending.find(message => message.unnamed)?.unnamed
  }

  /** True when the first message is a COPY that has not got all of its rows. */
  get awaitsRows(): boolean {
    return this.pending[0]?.rows !== undefined
  }

  push(message: OwnedMessage): void {
    const last = this.pending.at(-1)
    if (last?.rows) this.addRows(last, last.rows, message.bytes)
    // What a client still sends of a COPY that has ended is ignored, as by a server.
    if (isOfCopy(message.bytes)) return
    const rows = message.copiesIn ? [] : undefined
    this.pending.push({ ...message, rows, receivedAt: performance.now() })
    this.bytes += message.bytes.length
  }

  /** @param bytes a message of the COPY, or any other one, which ends it */
  private addRows(copy: Pending, rows: Buffer[], bytes: Buffer): void {
    const added = isOfCopy(bytes) ? bytes : copyFail
    rows.push(added)
    this.bytes += added.length
    if (added[0] === COPY_DATA) return
    copy.bytes = Buffer.concat([copy.bytes, ...rows])
    copy.rows = undefined
  }

  removeFirst(): void {
    this.bytes -= this.pending.shift()?.bytes.length ?? 0
  }

  /** Removes and returns the messages up to the end of a statement, so that a turn is as short as possible. */
  takeBatch(): OwnedMessage[] {
    let count = 0
    let bytes = 0
    while (count < this.pending.length && count < BATCH_MESSAGES && bytes < BATCH_BYTES) {
      const message = this.pending[count]!.bytes
      if (message[0] === TERMINATE) break
      count += 1
      bytes += message.length
      if (message[0] === SYNC || message[0] === QUERY) break
    }
    this.bytes -= bytes
    return this.pending.splice(0, count)
  }

  clear(): void {
    this.pending.length = 0
    this.bytes = 0
  }
}
