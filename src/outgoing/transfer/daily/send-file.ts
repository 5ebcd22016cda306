import type { ReadStream } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * Sends bytes of a file. A file that cannot be read is an error of the call: the client does not listen to its stream.
 * @param bytes first and last byte; undefined: the whole file
 */
export async function sendFile<Result>(
  file: string,
  bytes: { start: number; end: number } | undefined,
  send: (body: ReadStream, options: { abortSignal: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  const handle = await open(file, 'r')
  const body = handle.createReadStream(bytes)
  const stopping = new AbortController()
  body.on('error', error => stopping.abort(error))
  try {
    return await send(body, { abortSignal: stopping.signal })
  } catch (error) {
    throw body.errored ?? error
  } finally {
    body.destroy()
  }
}
