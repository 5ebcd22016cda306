import net from 'node:net'

/**
 * Sends one command to a Redis server on a new connection; used before a Redis client exists.
 * @returns the raw answer, possibly an error such as `-LOADING`, or undefined when no server answers
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

/**
 * Reads the process id of the Redis server at a socket.
 * @throws Error when the server does not answer
 */
export async function readRedisPid(socketPath: string): Promise<number> {
  const [, pid] = /process_id:(\d+)/.exec((await askRedis(socketPath, 'INFO server')) ?? '') ?? []
  if (pid === undefined) throw new Error(`the redis-server at ${socketPath} does not answer`)
  return Number(pid)
}
