import type { Socket } from 'node:net'
import { ClientState } from './client-state.ts'
import { MessageQueue } from './message-queue.ts'
import {
  CANCEL_REQUEST,
  COPY_IN_RESPONSE,
  copyInResponse,
  errorResponse,
  GSSENC_REQUEST,
  MessageReader,
  ProtocolError,
  QUERY,
  readStartup,
  readyForQuery,
  SSL_REQUEST,
  SYNC,
  startupAnswer,
  TERMINATE,
} from './protocol.ts'
import type { Session } from './session.ts'
import { startupSettings } from './startup-settings.ts'

export interface ConnectionOptions {
  session: Session
  connectionNo: number
  /** Sent to the client when it connects, e.g. `server_version`. */
  parameters: [string, string][]
  /** How long a connection may hold the session without sending anything; milliseconds. */
  idleInTransactionMs: number
  /** Cancels the waiting statement of another connection. */
  cancelWaiting: (connectionNo: number) => void
}

/**
 * One client. It acquires the session with its first message and releases it at a ReadyForQuery
 * outside a transaction, so that no message of another client runs in between.
 */
export class Connection {
  private readonly reader = new MessageReader()
  private readonly pending = new MessageQueue()
  private readonly state: ClientState
  private isStarted = false
  private isRunning = false
  private isWaiting = false
  /** The client cancelled its waiting statement. */
  private isCancelled = false
  /** Messages are skipped after an error that this class sent, up to the next Sync. */
  private isSkipping = false
  /** The client was asked for the rows of its COPY, before the session runs it. */
  private isAskedForRows = false
  /** The application name: connections with the same name share one part of the session's time. */
  private kind = ''
  private isClosed = false
  private holdsSession = false
  private idleTimer: NodeJS.Timeout | undefined

  private readonly socket: Socket
  private readonly options: ConnectionOptions

  constructor(socket: Socket, options: ConnectionOptions) {
    this.socket = socket
    this.options = options
    this.state = new ClientState(options.session, options.connectionNo)
    socket.on('data', chunk => this.receive(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.close())
  }

  /** Rolls back the open transaction, sends the reason to the client, and closes. */
  end(sqlState: string, reason: string): void {
    if (this.isClosed) return
    this.socket.end(errorResponse('FATAL', sqlState, reason))
    // Without this, a client that does not read would keep the socket open.
    setTimeout(() => this.socket.destroy(), 1000).unref()
    this.close()
  }

  private receive(chunk: Buffer): void {
    if (this.isClosed) return
    try {
      this.reader.push(chunk)
      for (let bytes = this.nextMessage(); bytes; bytes = this.nextMessage()) {
        if (!this.isStarted) this.startup(bytes)
        else this.pending.push(this.state.own(bytes))
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.end('08P01', error.message)
      return
    }
    if (this.pending.awaitsRows && this.pending.isOverfull) {
      this.end('54000', 'COPY takes at most 64 MiB of rows here')
      return
    }
    if (this.pending.isFull && !this.pending.awaitsRows) this.socket.pause()
    if (this.holdsSession) this.watchIdle()
    if (!this.pending.isEmpty && !this.isRunning) void this.runPending()
  }

  private nextMessage(): Buffer | undefined {
    return this.isClosed ? undefined : this.reader.next(this.isStarted)
  }

  private startup(bytes: Buffer): void {
    const code = bytes.length >= 8 ? bytes.readInt32BE(4) : 0
    if (code === SSL_REQUEST || code === GSSENC_REQUEST) {
      this.socket.write('N')
      return
    }
    if (code === CANCEL_REQUEST) {
      // Cancels only waiting statements: this thread reads the request after the running statement has ended.
      if (bytes.length >= 12) this.options.cancelWaiting(bytes.readUInt32BE(8))
      this.hangUp()
      return
    }
    const { major, minor, parameters } = readStartup(bytes)
    if (major !== 3) {
      this.end('08P01', `unsupported frontend protocol ${major}.${minor}`)
      return
    }
    this.state.start(startupSettings(parameters))
    this.kind = parameters.get('application_name') ?? ''
    this.isStarted = true
    this.socket.write(startupAnswer(minor, this.options.connectionNo, this.options.parameters))
  }

  private async runPending(): Promise<void> {
    const { session } = this.options
    this.isRunning = true
    while (!this.pending.isEmpty && !this.isClosed) {
      if (this.pending.firstType === TERMINATE) return this.hangUp()
      this.skip()
      if (this.pending.isEmpty) break
      if (this.pending.awaitsRows) {
        this.askForRows()
        break
      }
      if (!this.holdsSession && !(await this.takeTurn())) return
      const { chunks, status } = session.run(this.takeBatch(), this.state.statementName)
      const isFlushed = writeChunks(this.socket, this.isAskedForRows ? withoutRequest(chunks) : chunks)
      this.isAskedForRows = false
      // Short statements of one client run in one turn.
      if (status === 'I' && (this.pending.isEmpty || session.isTurnOver())) this.giveBack()
      else this.watchIdle()
      if (!this.pending.isFull) this.socket.resume()
      // Other clients can run meanwhile, unless this client is in a transaction.
      if (!isFlushed) await drained(this.socket)
    }
    this.isRunning = false
  }

  private askForRows(): void {
    // It may have been paused while earlier statements waited.
    this.socket.resume()
    if (this.isAskedForRows) return
    this.isAskedForRows = true
    this.socket.write(copyInResponse)
  }

  /** @returns false when the connection ended or has nothing to run */
  private async takeTurn(): Promise<boolean> {
    const { session } = this.options
    this.isWaiting = true
    await session.acquire(this.kind)
    this.isWaiting = false
    this.holdsSession = true
    if (this.isClosed) {
      this.leave()
      return false
    }
    try {
      this.state.applySettings()
    } catch (error) {
      this.end('22023', (error as Error).message)
      return false
    }
    if (this.refuseIfLate()) {
      this.giveBack()
      if (!this.pending.isEmpty) return this.takeTurn()
      this.isRunning = false
      return false
    }
    this.state.restoreUnnamed(this.pending.effectOnUnnamed)
    return true
  }

  /**
   * Refuses a statement that has waited longer than its timeout: its client has given up, and running it would delay other
   * clients. A PostgreSQL server counts the timeout from the start of a statement, but there a statement starts at once.
   */
  private refuseIfLate(): boolean {
    const { first } = this.pending
    if (!first) return true
    const limitMs = this.options.session.statementTimeoutMs
    const isLate = limitMs !== undefined && limitMs > 0 && performance.now() - first.receivedAt > limitMs
    if (!isLate && !this.isCancelled) return false
    const reason = this.isCancelled ? 'user request' : 'statement timeout'
    this.isCancelled = false
    this.isAskedForRows = false
    this.socket.write(errorResponse('ERROR', '57014', `canceling statement due to ${reason}`))
    this.isSkipping = true
    if (first.bytes[0] === QUERY) this.pass(readyForQuery)
    this.skip()
    return true
  }

  /** Skips the remaining messages of a refused statement, as a server does after an error. */
  private skip(): void {
    while (this.isSkipping && !this.pending.isEmpty) {
      if (this.pending.firstType === TERMINATE) return
      this.pass(this.pending.firstType === SYNC ? readyForQuery : undefined)
    }
  }

  private pass(answer: Buffer | undefined): void {
    this.pending.removeFirst()
    if (!answer) return
    this.isSkipping = false
    this.socket.write(answer)
  }

  /** Cancels the waiting statement; a running statement is finished. */
  cancel(): void {
    if (this.isWaiting) this.isCancelled = true
  }

  private takeBatch(): Buffer {
    const batch = this.pending.takeBatch()
    for (const message of batch) this.state.note(message)
    return batch.length === 1 ? batch[0]!.bytes : Buffer.concat(batch.map(({ bytes }) => bytes))
  }

  private giveBack(): void {
    this.stopIdleTimer()
    this.state.readSettings()
    this.holdsSession = false
    this.options.session.release()
  }

  private watchIdle(): void {
    this.stopIdleTimer()
    const { idleInTransactionMs } = this.options
    const timer = setTimeout(() => {
      // After a long statement, late timers run before messages that have arrived meanwhile are read.
      setImmediate(() => {
        if (this.idleTimer !== timer) return
        this.end('25P03', `the session was held without a message for ${idleInTransactionMs} ms`)
      })
    }, idleInTransactionMs)
    this.idleTimer = timer
  }

  private stopIdleTimer(): void {
    clearTimeout(this.idleTimer)
    this.idleTimer = undefined
  }

  private hangUp(): void {
    this.socket.destroySoon()
    this.close()
  }

  private close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.pending.clear()
    if (this.holdsSession) this.leave()
    // A connection that waits for its turn leaves when it gets the turn.
    else if (!this.isWaiting && this.state.hasStatements) void this.leaveInTurn()
  }

  private async leaveInTurn(): Promise<void> {
    await this.options.session.acquire(this.kind)
    this.holdsSession = true
    this.leave()
  }

  private leave(): void {
    this.stopIdleTimer()
    this.state.leave()
    this.holdsSession = false
    this.options.session.release()
  }
}

/** Returns the answer to a COPY without its request for rows, which the client has got already. */
function withoutRequest(chunks: Buffer[]): Buffer[] {
  const answer = Buffer.concat(chunks)
  return [answer[0] === COPY_IN_RESPONSE ? answer.subarray(1 + answer.readInt32BE(1)) : answer]
}

/** @returns false when the client does not read as fast as the answers come */
function writeChunks(socket: Socket, chunks: Buffer[]): boolean {
  if (socket.destroyed || chunks.length === 0) return true
  socket.cork()
  let isFlushed = true
  for (const chunk of chunks) isFlushed = socket.write(chunk)
  socket.uncork()
  return isFlushed || !socket.writableNeedDrain
}

/** Resolves when the client has read the answers, or is gone. */
function drained(socket: Socket): Promise<void> {
  return new Promise(resolve => {
    const settle = () => {
      socket.off('drain', settle).off('close', settle)
      resolve()
    }
    socket.on('drain', settle).on('close', settle)
  })
}
