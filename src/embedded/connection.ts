import type { Socket } from 'node:net'
import {
  CANCEL_REQUEST,
  closeStatement,
  fatalError,
  GSSENC_REQUEST,
  MessageReader,
  ProtocolError,
  readStartup,
  readyForQuery,
  SSL_REQUEST,
  startupAnswer,
  statementError,
  sync,
} from './protocol.ts'
import type { Session } from './session.ts'
import { startupSettings } from './startup-settings.ts'
import { type OwnedMessage, Statements } from './statements.ts'

/** Most messages of one call: enough to be fast, few enough that other clients do not wait long. */
const BATCH_MESSAGES = 256
const BATCH_BYTES = 1024 * 1024
/** Bytes received but not yet run; above this the socket is paused. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024

const TERMINATE = 0x58
const SYNC = 0x53
const QUERY = 0x51

interface Pending extends OwnedMessage {
  receivedAt: number
}

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
  private readonly statements: Statements
  private readonly pending: Pending[] = []
  private pendingBytes = 0
  private isStarted = false
  private isRunning = false
  private isWaiting = false
  /** The client cancelled its waiting statement. */
  private isCancelled = false
  /** Messages are skipped after an error that this class sent, up to the next Sync. */
  private isSkipping = false
  /** The application name: connections with the same name share one part of the session's time. */
  private kind = ''
  /** Name of the running or last statement. */
  private name = ''
  private isClosed = false
  private holdsSession = false
  private settings = ''
  private settingsChanged: false | 'once' | 'always' = false
  /** The Parse message of this connection's unnamed statement, sent again when another connection has replaced it. */
  private unnamedParse: Buffer | undefined
  private idleTimer: NodeJS.Timeout | undefined

  private readonly socket: Socket
  private readonly options: ConnectionOptions

  constructor(socket: Socket, options: ConnectionOptions) {
    this.socket = socket
    this.options = options
    this.statements = new Statements(options.connectionNo)
    socket.on('data', chunk => this.receive(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.close())
  }

  /** Rolls back the open transaction, sends the reason to the client, and closes. */
  end(sqlState: string, reason: string): void {
    if (this.isClosed) return
    this.socket.end(fatalError(sqlState, reason))
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
        else this.enqueue(bytes)
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.end('08P01', error.message)
      return
    }
    if (this.pendingBytes > MAX_PENDING_BYTES) this.socket.pause()
    if (this.holdsSession) this.watchIdle()
    if (this.pending.length > 0 && !this.isRunning) void this.runPending()
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
    this.settings = startupSettings(parameters)
    this.settingsChanged = this.settings === '' ? false : 'once'
    this.kind = parameters.get('application_name') ?? ''
    this.isStarted = true
    this.socket.write(startupAnswer(minor, this.options.connectionNo, this.options.parameters))
  }

  private enqueue(bytes: Buffer): void {
    const owned = this.statements.own(bytes)
    this.pending.push({ ...owned, receivedAt: performance.now() })
    this.pendingBytes += owned.bytes.length
  }

  private async runPending(): Promise<void> {
    const { session } = this.options
    this.isRunning = true
    while (this.pending.length > 0 && !this.isClosed) {
      if (this.pending[0]!.bytes[0] === TERMINATE) return this.hangUp()
      this.skip()
      if (this.pending.length === 0) break
      if (!this.holdsSession && !(await this.takeTurn())) return
      const { chunks, status } = session.run(this.takeBatch(), this.name)
      const isFlushed = this.send(chunks)
      // Short statements of one client run in one turn.
      if (status === 'I' && (this.pending.length === 0 || session.isTurnOver())) this.giveBack()
      else this.watchIdle()
      if (this.pendingBytes <= MAX_PENDING_BYTES) this.socket.resume()
      // Other clients can run meanwhile, unless this client is in a transaction.
      if (!isFlushed) await this.drained()
    }
    this.isRunning = false
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
      session.useSettings(this.settings)
    } catch (error) {
      this.end('22023', (error as Error).message)
      return false
    }
    if (this.refuseIfLate()) {
      this.giveBack()
      return this.pending.length > 0 ? this.takeTurn() : this.rest()
    }
    this.bringBackUnnamed()
    return true
  }

  /** @returns false, because there is nothing to run */
  private rest(): false {
    this.isRunning = false
    return false
  }

  /**
   * Refuses a statement that has waited longer than its timeout: its client has given up, and running it would delay other
   * clients. A PostgreSQL server counts the timeout from the start of a statement, but there a statement starts at once.
   */
  private refuseIfLate(): boolean {
    const [first] = this.pending
    if (!first) return true
    const limitMs = this.options.session.statementTimeoutMs
    const isLate = limitMs !== undefined && limitMs > 0 && performance.now() - first.receivedAt > limitMs
    if (!isLate && !this.isCancelled) return false
    const reason = this.isCancelled ? 'user request' : 'statement timeout'
    this.isCancelled = false
    this.socket.write(statementError('57014', `canceling statement due to ${reason}`))
    this.isSkipping = true
    if (first.bytes[0] === QUERY) this.pass(readyForQuery)
    this.skip()
    return true
  }

  /** Skips the remaining messages of a refused statement, as a server does after an error. */
  private skip(): void {
    while (this.isSkipping && this.pending.length > 0) {
      if (this.pending[0]!.bytes[0] === TERMINATE) return
      this.pass(this.pending[0]!.bytes[0] === SYNC ? readyForQuery : undefined)
    }
  }

  private pass(answer: Buffer | undefined): void {
    this.pendingBytes -= this.pending.shift()!.bytes.length
    if (!answer) return
    this.isSkipping = false
    this.socket.write(answer)
  }

  /** Cancels the waiting statement; a running statement is finished. */
  cancel(): void {
    if (this.isWaiting) this.isCancelled = true
  }

  /**
   * Replaces the unnamed statement of another connection by this connection's own (or none), because the
   * session has only one. Not needed when the client parses a new one first.
   */
  private bringBackUnnamed(): void {
    const { session } = this.options
    const isOwn = session.unnamedOwner === (this.unnamedParse && this)
    if (isOwn || this.pending.find(owned => owned.unnamed)?.unnamed === 'parsed') return
    session.run(Buffer.concat([this.unnamedParse ?? closeStatement(''), sync]))
    session.unnamedOwner = this.unnamedParse && this
  }

  /** The next messages up to the end of a statement, so that a turn is as short as possible. */
  private takeBatch(): Buffer {
    const batch: Buffer[] = []
    let bytes = 0
    for (const owned of this.pending) {
      if (batch.length === BATCH_MESSAGES || bytes >= BATCH_BYTES || owned.bytes[0] === TERMINATE) break
      if (owned.changesSettings && this.settingsChanged !== 'always')
        this.settingsChanged = owned.changesSettings
      if (owned.unnamed === 'parsed' || owned.unnamed === 'dropped') {
        this.unnamedParse = owned.unnamed === 'parsed' ? owned.bytes : undefined
        this.options.session.unnamedOwner = this.unnamedParse && this
      }
      if (owned.name !== undefined) this.name = owned.name
      batch.push(owned.bytes)
      bytes += owned.bytes.length
      if (owned.bytes[0] === SYNC || owned.bytes[0] === QUERY) break
    }
    this.pending.splice(0, batch.length)
    this.pendingBytes -= bytes
    return batch.length === 1 ? batch[0]! : Buffer.concat(batch)
  }

  private send(chunks: Buffer[]): boolean {
    if (this.socket.destroyed || chunks.length === 0) return true
    this.socket.cork()
    let isFlushed = true
    for (const chunk of chunks) isFlushed = this.socket.write(chunk)
    this.socket.uncork()
    return isFlushed || !this.socket.writableNeedDrain
  }

  private drained(): Promise<void> {
    return new Promise(resolve => {
      const settle = () => {
        this.socket.off('drain', settle).off('close', settle)
        resolve()
      }
      this.socket.on('drain', settle).on('close', settle)
    })
  }

  private giveBack(): void {
    clearTimeout(this.idleTimer)
    if (this.settingsChanged) {
      this.settings = this.options.session.ownSettings()
      if (this.settingsChanged === 'once') this.settingsChanged = false
    }
    this.holdsSession = false
    this.options.session.release()
  }

  private watchIdle(): void {
    clearTimeout(this.idleTimer)
    const { idleInTransactionMs } = this.options
    this.idleTimer = setTimeout(() => {
      this.end('25P03', `the session was held without a message for ${idleInTransactionMs} ms`)
    }, idleInTransactionMs)
  }

  private hangUp(): void {
    this.socket.destroySoon()
    this.close()
  }

  private close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.pending.length = 0
    if (this.holdsSession) this.leave()
    // A connection that waits for its turn leaves when it gets the turn.
    else if (!this.isWaiting && this.statements.names.size > 0) void this.leaveInTurn()
  }

  private async leaveInTurn(): Promise<void> {
    await this.options.session.acquire(this.kind)
    this.holdsSession = true
    this.leave()
  }

  /** Removes all traces of this connection from the session: its transaction and its statements. */
  private leave(): void {
    clearTimeout(this.idleTimer)
    const { session } = this.options
    if (session.run(sync).status !== 'I') session.query('rollback')
    const closes = [...this.statements.names].map(closeStatement)
    this.statements.names.clear()
    if (closes.length > 0) session.run(Buffer.concat([...closes, sync]))
    // Records the changed settings, so that the next connection's useSettings() resets them.
    if (this.settingsChanged) session.ownSettings()
    this.holdsSession = false
    session.release()
  }
}
