import type { UnpackLimits } from './read/limits.ts'

/** A file to read from, wherever it lies: on disk, or in the parts of an upload. */
export interface SourceFile {
  /** Its name as the person who brings it knows it, for messages. */
  name: string
  /** Its size in bytes. */
  bytes: number
  /**
   * Returns the bytes in [start, end) as a stream with constant memory; all of them by default. May be called any number of
   * times, also for streams that are read at the same time.
   */
  read(start?: number, end?: number): AsyncIterable<Buffer>
  /** Bounds for what is unpacked from it; the widest by default. */
  limits?: UnpackLimits
  /** Awaited between two pieces of what is unpacked from it. */
  pass?: (() => Promise<void> | undefined) | undefined
}
