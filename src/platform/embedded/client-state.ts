import { closeStatement, sync } from './protocol.ts'
import type { Session } from './session.ts'
import { type OwnedMessage, Statements } from './statements.ts'

/** What one client has in the shared session: its settings, its prepared statements, and its unnamed statement. */
export class ClientState {
  /** Name of the running or last statement. */
  statementName = ''
  private settings = ''
  private settingsChanged = false
  /** The Parse message of the client's unnamed statement, sent again when another client has replaced it. */
  private unnamedParse: Buffer | undefined
  private readonly session: Session
  private readonly statements: Statements

  constructor(session: Session, connectionNo: number) {
    this.session = session
    this.statements = new Statements(connectionNo)
  }

  get hasStatements(): boolean {
    return this.statements.names.size > 0
  }

  /** Rewrites a message of the client for the shared session. */
  own(bytes: Buffer): OwnedMessage {
    return this.statements.own(bytes)
  }

  /** @param settings SQL that sets the settings of the startup message; '' for none */
  start(settings: string): void {
    this.settings = settings
    this.settingsChanged = settings !== ''
  }

  /** Records the effects of a message that is run next. */
  note(message: OwnedMessage): void {
    if (message.changesSettings) this.settingsChanged = true
    if (message.unnamed === 'parsed' || message.unnamed === 'dropped') {
      this.unnamedParse = message.unnamed === 'parsed' ? message.bytes : undefined
      this.session.unnamedOwner = this.unnamedParse && this
    }
    if (message.name !== undefined) this.statementName = message.name
  }

  /**
   * Applies the client's settings at the start of its turn.
   * @throws Error when PostgreSQL refuses a setting
   */
  applySettings(): void {
    this.session.useSettings(this.settings)
  }

  /** Reads the settings that the client has changed, at the end of its turn. */
  readSettings(): void {
    if (!this.settingsChanged) return
    this.settings = this.session.ownSettings()
    this.settingsChanged = false
  }

  /**
   * Replaces the unnamed statement of another client by this client's own (or none), because the session has only one. Not
   * needed when the client parses a new one first.
   * @param next effect of the client's next messages on the unnamed statement
   */
  restoreUnnamed(next: OwnedMessage['unnamed']): void {
    const own = this.unnamedParse && this
    if (this.session.unnamedOwner === own || next === 'parsed') return
    this.session.run(Buffer.concat([this.unnamedParse ?? closeStatement(''), sync]))
    this.session.unnamedOwner = own
  }

  /** Removes all traces of the client from the session: its transaction and its statements. */
  leave(): void {
    if (this.session.run(sync).status !== 'I') this.session.query('rollback')
    const closes = [...this.statements.names].map(closeStatement)
    this.statements.names.clear()
    if (closes.length > 0) this.session.run(Buffer.concat([...closes, sync]))
    // Records the changed settings, so that the next client's useSettings() resets them.
    if (this.settingsChanged) this.session.ownSettings()
  }
}
