import net from 'node:net'

/**
 * Asks a Redis one thing on a connection of its own, before any client is worth having.
 * @returns the raw answer, possibly an error such as `-LOADING`, or undefined when nobody answers
 */
export function askRedis(socketPath: string, command: 'PING' | 'INFO server'): Promise<string | undefined> {
  return new Promise(resolve => {
    let answer = ''
    const socket = net.connect(socketPath)
    socket.setTimeout(5_000, () => socket.destroy())
    socket.on('connect', () => socket.write(`${command}\r\nQUIT\r\n`))
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer === '' ? undefined : answer))
  })
}

/** @throws Error when the server has just gone */
export async function readRedisPid(socketPath: string): Promise<number> {
  const [, pid] = /process_id:(\d+)/.exec((await askRedis(socketPath, 'INFO server')) ?? '') ?? []
  if (pid === undefined) throw new Error(`the redis-server at ${socketPath} does not answer`)
  return Number(pid)
}
