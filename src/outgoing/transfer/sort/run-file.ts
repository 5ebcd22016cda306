import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** A value with the text that it is sorted by. */
export interface Entry {
  /** Without tabs and line breaks. */
  key: string
  /** Without line breaks. */
  value: string
}

const BLOCK_BYTES = 128 * 1024
const NEWLINE = 0x0a

/** Entries in order, in a temporary file. */
export interface RunFile {
  /** Returns the entries block by block; once. */
  read(): AsyncGenerator<Entry[]>
  close(): Promise<void>
}

/**
 * Writes entries to a temporary file. It has no name from its first byte on: the system frees it when it is closed, and when the
 * process is killed.
 * @param folder is created if it is missing
 */
export async function writeRunFile(
  folder: string,
  blocks: AsyncIterable<Entry[]> | Iterable<Entry[]>,
): Promise<RunFile> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `sort-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    let text = ''
    let size = 0
    const write = async () => {
      const bytes = Buffer.from(text)
      text = ''
      let start = 0
      while (start < bytes.length) {
        start += (await handle.write(bytes, start, bytes.length - start, size + start)).bytesWritten
      }
      size += bytes.length
    }
    for await (const block of blocks) {
      for (const { key, value } of block) {
        text += `${key}\t${value}\n`
        if (text.length >= BLOCK_BYTES) await write()
      }
    }
    await write()
    return { read: () => readEntries(handle, size), close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function* readEntries(handle: FileHandle, size: number): AsyncGenerator<Entry[]> {
  let rest: Buffer = Buffer.alloc(0)
  for (let position = 0; position < size; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(BLOCK_BYTES), 0, BLOCK_BYTES, position)
    if (bytesRead === 0) throw new Error('a temporary file ended too early')
    position += bytesRead
    const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
    const end = bytes.lastIndexOf(NEWLINE) + 1
    rest = bytes.subarray(end)
    if (end > 0)
      yield bytes
        .toString('utf8', 0, end - 1)
        .split('\n')
        .map(entryOf)
  }
}

function entryOf(line: string): Entry {
  const end = line.indexOf('\t')
  return { key: line.slice(0, end), value: line.slice(end + 1) }
}
