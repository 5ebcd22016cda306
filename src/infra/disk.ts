import { statfs } from 'node:fs/promises'
import { AppError } from '../errors.ts'
import type { Log } from './log.ts'

/** Free space of the file system that the embedded servers write to. */
export interface Disk {
  /** Whether less is free than must be, by the latest look. */
  isShort(): boolean
  /** Now; undefined where nothing is kept here, or nobody can tell. */
  freeBytes(): Promise<number | undefined>
}

export interface DiskWatch extends Disk {
  /** Looks at once. */
  check(): Promise<void>
  stop(): void
}

const EVERY_MS = 1_000
/** Where room comes and goes at the bound, senders would be refused and taken in turn. */
const MORE_TO_RECOVER = 10 / 100
/** Seconds: it is people who make room. */
const RETRY_AFTER = 30

/** A disk that is never short: of servers elsewhere. */
export const NO_DISK: Disk = { isShort: () => false, freeBytes: async () => undefined }

/**
 * Looks at the free space once a second, off the path of requests. Each process looks for itself: a look takes some
 * microseconds, and needs nobody who may be away. Where nobody can tell, there is room.
 * @param options.folder on the file system; undefined where the servers keep nothing here
 * @param options.minFreeBytes 0 for no bound
 * @param options.log of the one process that says when the disk becomes short and when it has room again
 * @param options.measure bytes that are free to this user
 */
export function watchDisk(options: {
  folder: string | undefined
  minFreeBytes: number
  log?: Log
  measure?: (folder: string) => Promise<number>
}): DiskWatch {
  const { folder, minFreeBytes, log, measure = freeBytesOf } = options
  let isShort = false

  const freeBytes = async () =>
    folder === undefined ? undefined : await measure(folder).catch(() => undefined)

  async function check(): Promise<void> {
    const free = await freeBytes()
    if (free === undefined) return
    const isNowShort = free < minFreeBytes + (isShort ? minFreeBytes * MORE_TO_RECOVER : 0)
    if (isNowShort === isShort) return
    isShort = isNowShort
    const figures = { folder, freeBytes: free, minFreeBytes }
    if (isShort) log?.warn(figures, 'the disk is nearly full: hits are refused until there is room')
    else log?.info(figures, 'the disk has room again: hits are taken')
  }

  const isWatched = folder !== undefined && minFreeBytes > 0
  const timer = isWatched ? setInterval(() => void check(), EVERY_MS).unref() : undefined
  return { isShort: () => isShort, freeBytes, check, stop: () => clearInterval(timer) }
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/**
 * For whoever is about to write much, and can come again.
 * @throws AppError `unavailable` while the disk is short
 */
export function requireFreeDisk(disk: Disk): void {
  if (!disk.isShort()) return
  throw new AppError('unavailable', 'The disk of the service is nearly full; send it again later', {
    retryAfter: RETRY_AFTER,
  })
}
