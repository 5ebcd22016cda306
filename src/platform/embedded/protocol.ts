/** The part of the PostgreSQL wire protocol (version 3.0) that the gateway reads and writes itself. */

/** A client broke the protocol, so the rest of its connection cannot be parsed. */
export class ProtocolError extends Error {}

export const CANCEL_REQUEST = 80877102
export const SSL_REQUEST = 80877103
export const GSSENC_REQUEST = 80877104

/** Type bytes of messages. */
export const TERMINATE = 0x58
export const SYNC = 0x53
export const QUERY = 0x51
export const COPY_DATA = 0x64
export const COPY_DONE = 0x63
export const COPY_FAIL = 0x66
export const COPY_IN_RESPONSE = 0x47

/** Larger messages are refused: the module's memory is 32-bit and holds more than one copy of a message. */
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024
const MAX_STARTUP_BYTES = 10_000

/**
 * Cuts a byte stream into whole messages. A message may span many packets, and a packet may contain many
 * messages. It never returns half a message, which would crash the module.
 */
export class MessageReader {
  private chunks: Buffer[] = []
  private size = 0
  private wanted = 5

  push(chunk: Buffer): void {
    this.chunks.push(chunk)
    this.size += chunk.length
  }

  /**
   * @param typed false for the first messages of a connection, which have no type byte
   * @returns the next whole message with its header, or undefined when more bytes are needed
   * @throws ProtocolError when the stated length is impossible
   */
  next(typed: boolean): Buffer | undefined {
    const lengthAt = typed ? 1 : 0
    if (this.size < Math.max(this.wanted, lengthAt + 4)) return undefined
    // Joined only once the message is complete, so that a large one is not copied packet by packet.
    const bytes = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks)
    this.chunks = [bytes]
    const length = bytes.readInt32BE(lengthAt)
    if (length < 4 || length > (typed ? MAX_MESSAGE_BYTES : MAX_STARTUP_BYTES))
      throw new ProtocolError(`invalid message length ${length}`)
    const end = lengthAt + length
    if (bytes.length < end) {
      this.wanted = end
      return undefined
    }
    this.wanted = 5
    this.size = bytes.length - end
    this.chunks = this.size > 0 ? [bytes.subarray(end)] : []
    return bytes.subarray(0, end)
  }
}

/** Builds one message: type letter, length, body. Strings end with a zero byte. */
export function message(type: string, ...parts: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)))
  const head = Buffer.alloc(5)
  head.write(type, 0, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

export const simpleQuery = (sql: string): Buffer => message('Q', sql)
export const sync: Buffer = message('S')
export const copyFail: Buffer = message('f', 'the rows of COPY have not arrived')
/** Asks a client for the rows of COPY, in text form. It says nothing of the columns, which drivers do not read. */
export const copyInResponse: Buffer = message('G', Buffer.from([0, 0, 0]))
export const closeStatement = (name: string): Buffer => message('C', Buffer.from('S'), name)

export const readyForQuery: Buffer = message('Z', Buffer.from('I'))

/** An ErrorResponse. After FATAL, the client must expect the end of the connection. */
export const errorResponse = (severity: 'ERROR' | 'FATAL', sqlState: string, text: string): Buffer =>
  message('E', `S${severity}`, `V${severity}`, `C${sqlState}`, `M${text}`, Buffer.alloc(1))

/**
 * Reads a startup message: protocol version and parameters such as user and options.
 * @throws ProtocolError when the message is too short
 */
export function readStartup(startup: Buffer): {
  major: number
  minor: number
  parameters: Map<string, string>
} {
  if (startup.length < 9) throw new ProtocolError('invalid startup message')
  const words = startup.toString('utf8', 8).split('\0')
  const parameters = new Map<string, string>()
  for (let i = 0; i + 1 < words.length && words[i] !== ''; i += 2) parameters.set(words[i]!, words[i + 1]!)
  return { major: startup.readUInt16BE(4), minor: startup.readUInt16BE(6), parameters }
}

/**
 * The complete answer to a startup message. It accepts any user and database, because the socket's file mode
 * is the access control.
 * @param connectionNo shown to the client as its backend process id
 */
export function startupAnswer(minor: number, connectionNo: number, parameters: [string, string][]): Buffer {
  const negotiate = minor > 0 ? [message('v', Buffer.from([0, 3, 0, 0, 0, 0, 0, 0]))] : []
  const key = Buffer.alloc(8)
  key.writeUInt32BE(connectionNo, 0)
  return Buffer.concat([
    ...negotiate,
    message('R', Buffer.alloc(4)),
    ...parameters.map(([name, value]) => message('S', name, value)),
    message('K', key),
    message('Z', Buffer.from('I')),
  ])
}
