import net from 'node:net'
import { MessageReader, message } from '../../../src/platform/embedded/protocol.ts'

const int16 = (value: number) => Buffer.from([value >> 8, value & 255])
const int32 = (value: number) => Buffer.from([value >> 24, value >> 16, value >> 8, value])

export const parse = (name: string, sql: string) => message('P', name, sql, int16(0))
export const bind = (statement: string, ...values: string[]) =>
  message(
    'B',
    '',
    statement,
    int16(0),
    int16(values.length),
    ...values.flatMap(value => [int32(value.length), Buffer.from(value)]),
    int16(0),
  )
export const describe = (name: string) => message('D', Buffer.from('S'), name)
export const execute = message('E', '', int32(0))
export const sync = message('S')
export const flush = message('H')
export const terminate = message('X')
export const query = (sql: string) => message('Q', sql)
export const copyData = (rows: string) => message('d', Buffer.from(rows))
export const copyDone = message('c')

/** A client that sends given bytes unchanged and reads whole messages. */
export class RawClient {
  readonly socket: net.Socket
  private readonly reader = new MessageReader()
  private readonly inbox: Buffer[] = []
  private wake = () => {}
  private isClosed = false

  constructor(socketPath: string) {
    this.socket = net.connect(socketPath)
    this.socket.on('data', chunk => {
      this.reader.push(chunk)
      for (let next = this.reader.next(true); next; next = this.reader.next(true)) this.inbox.push(next)
      this.wake()
    })
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.isClosed = true
      this.wake()
    })
  }

  /** Sends the startup message and reads up to the first ReadyForQuery. */
  static async connect(socketPath: string, parameters: Record<string, string> = {}): Promise<RawClient> {
    const client = new RawClient(socketPath)
    client.send(startup(parameters))
    await client.until('Z')
    return client
  }

  send(...messages: Buffer[]): void {
    this.socket.write(Buffer.concat(messages))
  }

  /** Sends each byte as a packet of its own; without a delay they would be joined. */
  async sendByteByByte(...messages: Buffer[]): Promise<void> {
    this.socket.setNoDelay(true)
    for (const byte of Buffer.concat(messages)) {
      await new Promise(resolve => this.socket.write(Buffer.from([byte]), resolve))
    }
  }

  /** Reads messages up to and including the first of this type, or to the end of the connection. */
  async until(type: string): Promise<Answer> {
    const messages: Buffer[] = []
    for (;;) {
      for (let next = this.inbox.shift(); next; next = this.inbox.shift()) {
        messages.push(next)
        if (next.toString('latin1', 0, 1) === type) return new Answer(messages)
      }
      if (this.isClosed) return new Answer(messages)
      await new Promise<void>(resolve => {
        this.wake = resolve
      })
    }
  }

  closed(): Promise<void> {
    return this.isClosed
      ? Promise.resolve()
      : new Promise(resolve => this.socket.once('close', () => resolve()))
  }
}

/** Messages of the server, and the parts of them that tests check. */
export class Answer {
  /** The type letters, in order. */
  readonly types: string
  /** First column of each row. */
  readonly rows: string[]
  /** SQLSTATE of each error. */
  readonly errors: string[]

  constructor(messages: Buffer[]) {
    this.types = messages.map(one => one.toString('latin1', 0, 1)).join('')
    this.rows = messages
      .filter(one => one[0] === 0x44)
      .map(one => one.toString('utf8', 11, 11 + one.readInt32BE(7)))
    this.errors = messages
      .filter(one => one[0] === 0x45)
      .map(one =>
        one
          .toString('utf8', 5)
          .split('\0')
          .find(field => field.startsWith('C'))!
          .slice(1),
      )
  }
}

function startup(parameters: Record<string, string>): Buffer {
  const words = Object.entries({ user: 'anybody', database: 'anything', ...parameters }).flat()
  const body = Buffer.concat([int32(196608), ...words.map(word => Buffer.from(`${word}\0`)), Buffer.alloc(1)])
  return Buffer.concat([int32(body.length + 4), body])
}
