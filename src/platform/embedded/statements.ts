import { createHash } from 'node:crypto'
import { QUERY } from './protocol.ts'

/** PostgreSQL cuts statement names after 63 bytes. */
const MAX_NAME_BYTES = 63

const PARSE = 0x50
const BIND = 0x42
const CLOSE = 0x43
const DESCRIBE = 0x44
const STATEMENT = 0x53

/**
 * Matches statements that change a setting of the session, or run another statement that may. A false match costs a query of
 * the settings after the turn, 2 ms. Settings local to a transaction are excluded, because the transaction resets them.
 */
const CHANGES_SETTINGS =
  /(?:^|;|\*\/)\s*(?:set\s+(?!local\b|transaction\b|constraints\b)|reset\b|discard\b|execute\b|do\b|call\b)|set_config\s*\(/i
/** A call of `set_config` with constants that is local to the transaction. */
const LOCAL_SET_CONFIG = /set_config\s*\(\s*'?[\w.]+'?\s*,\s*'[^']*'\s*,\s*true\s*\)/gi

/** A simple query that is one COPY FROM STDIN. */
const COPIES_IN = /^\s*(?:\/\*[^*]*\*\/)?\s*copy\s[^;]+\sfrom\s+stdin\b[^;]*;?\s*\0$/i
/** No COPY is longer; a long query need not be searched. */
const COPY_WITHIN = 10_000

/** A message rewritten for the shared session, and its effects that the gateway must know. */
export interface OwnedMessage {
  bytes: Buffer
  /** Effect on the unnamed statement. */
  unnamed?: 'parsed' | 'used' | 'dropped'
  /** The message runs a statement that may change settings of the session. */
  changesSettings?: boolean
  /** The message is a COPY FROM STDIN, whose rows follow in further messages. */
  copiesIn?: boolean
  /** Name of the parsed or executed statement, from the comment at its head; '' without such a comment. */
  name?: string
}

/** A comment at the head of a statement, which names it. */
const NAME = /^\s*\/\* ([\w-]{1,60}) \*\//
/** Number of bytes at the head of a statement in which the name is searched. */
const NAME_WITHIN = 100

/**
 * The prepared statements of one connection. All connections share one session, where names are unique, so
 * every name gets the connection's prefix. Portals need no prefix: they end with the transaction, and no
 * other connection runs before that.
 */
export class Statements {
  /** Names, as in the session, of the statements that this connection has prepared and not closed. */
  readonly names = new Set<string>()
  /** Names from the comments of the statements, by name in the session; the key '' is the unnamed statement. */
  private readonly called = new Map<string, string>()
  /** Names in the session of prepared statements that may change settings each time they run. */
  private readonly changing = new Set<string>()
  private readonly prefix: string

  constructor(connectionNo: number) {
    this.prefix = `c${connectionNo}.`
  }

  own(bytes: Buffer): OwnedMessage {
    switch (bytes[0]) {
      case QUERY:
        return {
          bytes,
          unnamed: 'dropped',
          name: nameIn(bytes, 5),
          changesSettings: changesSettings(bytes, 5),
          copiesIn: bytes.length < COPY_WITHIN && COPIES_IN.test(bytes.toString('latin1', 5)),
        }
      case PARSE: {
        const end = bytes.indexOf(0, 5)
        const called = nameIn(bytes, end + 1)
        if (end === 5) {
          this.note('', called, changesSettings(bytes, 6))
          return { bytes, unnamed: 'parsed', name: called }
        }
        const name = this.nameInSession(bytes, 5, end)
        this.names.add(name)
        this.note(name, called, changesSettings(bytes, end + 1))
        return { bytes: replaceName(bytes, 5, end, name), name: called }
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
        this.changing.delete(name)
        return this.rename(bytes, 6)
      }
      default:
        return { bytes }
    }
  }

  private note(name: string, called: string, changesSettings: boolean): void {
    this.called.set(name, called)
    if (changesSettings) this.changing.add(name)
    else this.changing.delete(name)
  }

  private rename(bytes: Buffer, start: number): OwnedMessage {
    const end = bytes.indexOf(0, start)
    const isUnnamed = end === start
    const name = isUnnamed ? '' : this.nameInSession(bytes, start, end)
    return {
      ...(isUnnamed ? { bytes, unnamed: 'used' } : { bytes: replaceName(bytes, start, end, name) }),
      name: this.called.get(name) ?? '',
      changesSettings: this.changing.has(name),
    }
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

function changesSettings(bytes: Buffer, sqlStart: number): boolean {
  return CHANGES_SETTINGS.test(bytes.toString('latin1', sqlStart).replace(LOCAL_SET_CONFIG, ''))
}
