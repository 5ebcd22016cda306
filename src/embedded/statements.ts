import { createHash } from 'node:crypto'

/** PostgreSQL cuts statement names after 63 bytes. */
const MAX_NAME_BYTES = 63

const QUERY = 0x51
const PARSE = 0x50
const BIND = 0x42
const CLOSE = 0x43
const DESCRIBE = 0x44
const STATEMENT = 0x53

/**
 * Statements that change a setting of the session: cheap to test, and a false alarm only costs a look
 * at the settings. What is local to a transaction undoes itself.
 */
const CHANGES_SETTINGS =
  /(?:^|;|\*\/)\s*(?:set\s+(?!local\b|transaction\b|constraints\b)|reset\b|discard\b)|set_config\s*\(/i

/** What a message means to the gateway, and the message as the shared session may see it. */
export interface OwnedMessage {
  bytes: Buffer
  /** What it does to the unnamed statement. */
  unnamed?: 'parsed' | 'used' | 'dropped'
  /** `once`: by this message. `always`: by a named statement, so by any later message too. */
  changesSettings?: 'once' | 'always'
  /** What the statement is called that it parses or runs, where its text says so. */
  name?: string
}

/** A comment at the head of a statement. */
const NAME = /^\s*\/\* ([\w-]{1,60}) \*\//
/** Within so many bytes. */
const NAME_WITHIN = 100

/**
 * The prepared statements of one connection. All connections share one session, in which a name can
 * exist once; so every name is sent with the connection's prefix. Portals need none: they end with
 * the transaction, and the session is not shared before.
 */
export class Statements {
  /** Names in the session of what this connection prepared and did not close. */
  readonly names = new Set<string>()
  /** What they, and the unnamed one (''), are called in their texts. */
  private readonly called = new Map<string, string>()
  private readonly prefix: string

  constructor(connectionNo: number) {
    this.prefix = `c${connectionNo}.`
  }

  own(bytes: Buffer): OwnedMessage {
    switch (bytes[0]) {
      case QUERY:
        return { bytes, unnamed: 'dropped', name: nameIn(bytes, 5), ...settingsChange(bytes, 5, 'once') }
      case PARSE: {
        const end = bytes.indexOf(0, 5)
        const called = nameIn(bytes, end + 1)
        if (end === 5) {
          this.called.set('', called)
          return { bytes, unnamed: 'parsed', name: called, ...settingsChange(bytes, 6, 'once') }
        }
        const name = this.nameInSession(bytes, 5, end)
        this.names.add(name)
        this.called.set(name, called)
        return {
          bytes: replaceName(bytes, 5, end, name),
          name: called,
          ...settingsChange(bytes, end + 1, 'always'),
        }
      }
      case BIND:
        return this.rename(bytes, bytes.indexOf(0, 5) + 1)
      case DESCRIBE:
        return bytes[5] === STATEMENT ? this.rename(bytes, 6) : { bytes }
      case CLOSE: {
        if (bytes[5] !== STATEMENT) return { bytes }
        const name = this.nameInSession(bytes, 6, bytes.indexOf(0, 6))
        this.names.delete(name)
        this.called.delete(name)
        return this.rename(bytes, 6)
      }
      default:
        return { bytes }
    }
  }

  private rename(bytes: Buffer, start: number): OwnedMessage {
    const end = bytes.indexOf(0, start)
    if (end === start) return { bytes, unnamed: 'used', name: this.called.get('') ?? '' }
    const name = this.nameInSession(bytes, start, end)
    return { bytes: replaceName(bytes, start, end, name), name: this.called.get(name) ?? '' }
  }

  private nameInSession(bytes: Buffer, start: number, end: number): string {
    const name = this.prefix + bytes.toString('utf8', start, end)
    if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name
    return this.prefix + createHash('sha256').update(name).digest('hex').slice(0, 40)
  }
}

function replaceName(bytes: Buffer, start: number, end: number, name: string): Buffer {
  const replaced = Buffer.concat([bytes.subarray(0, start), Buffer.from(name), bytes.subarray(end)])
  replaced.writeInt32BE(replaced.length - 1, 1)
  return replaced
}

const nameIn = (bytes: Buffer, sqlStart: number): string =>
  NAME.exec(bytes.toString('latin1', sqlStart, sqlStart + NAME_WITHIN))?.[1] ?? ''

function settingsChange(bytes: Buffer, sqlStart: number, when: 'once' | 'always') {
  return CHANGES_SETTINGS.test(bytes.toString('latin1', sqlStart)) ? { changesSettings: when } : {}
}
