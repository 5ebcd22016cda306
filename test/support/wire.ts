import { connect, type Socket } from 'node:net'

/** A connection on which a test says byte for byte what it sends. */
export interface Wire {
  socket: Socket
  send(text: string | Buffer): void
  /** The next answer: its status line, headers in lower case, and body by Content-Length. */
  answer(): Promise<WireAnswer>
  /** Resolves when the connection is closed, with everything that nobody has read. */
  closed: Promise<string>
}

export interface WireAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

export function openWire(url: string): Wire {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ''
  let look = () => {}
  socket.setEncoding('utf8')
  socket.on('data', text => {
    received += text
    look()
  })
  socket.on('error', () => {})
  const closed = new Promise<string>(resolve => {
    socket.once('close', () => resolve(received))
  })
  return {
    socket,
    send: text => void socket.write(text),
    answer: () =>
      new Promise((resolve, reject) => {
        look = () => {
          const answer = firstAnswer(received)
          if (!answer) return
          look = () => {}
          received = received.slice(answer.length)
          resolve(answer.value)
        }
        void closed.then(() => reject(new Error(`closed after ${JSON.stringify(received)}`)))
        look()
      }),
    closed,
  }
}

function firstAnswer(text: string): { value: WireAnswer; length: number } | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const length = end + 4 + Number(headers['content-length'] ?? 0)
  if (text.length < length) return undefined
  return {
    value: { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4, length) },
    length,
  }
}
