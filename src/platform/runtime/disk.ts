import { statfs } from 'node:fs/promises'
import { AppError } from '../errors.ts'
import type { Log } from './log.ts'

/** Free space of the file system that the embedded servers write to. */
export interface Disk {
  /** Returns whether the latest check found less free space than required. */
  isShort(): boolean
  /** Returns the bytes that are free now; undefined where no server stores data here, or the space cannot be read. */
  freeBytes(): Promise<number | undefined>
}

const EVERY_MS = 1_000
/** Additional share of free space that ends the shortage. Without it, hits would alternate between refused and accepted. */
const MORE_TO_RECOVER = 10 / 100
/** Seconds. The value is high because a person has to free the space. */
const RETRY_AFTER = 30

/** A disk that is never short, for servers on other hosts. */
export const NO_DISK: Disk = { isShort: () => false, freeBytes: async () => undefined }

/**
 * Checks the free space once a second, outside of requests. Each process checks for itself: a check takes some
 * microseconds and depends on no other process. The state stays the same while the space cannot be read; it starts as not
 * short.
 * @param options.folder a folder on the file system; undefined where the servers store no data here
 * @param options.minFreeBytes 0 for no bound
 * @param options.log given only in the one process that logs when the disk becomes short and when it has room again
 * @param options.measure returns the bytes that are free for this user
 */
export function watchDisk(options: {
  folder: string | undefined
  minFreeBytes: number
  log?: Log
  measure?: (folder: string) => Promise<number>
}) {
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

export type DiskWatch = ReturnType<typeof watchDisk>

/**
 * Guards a large write whose sender can retry later.
 * @throws AppError `unavailable` while the disk is short
 */
export function requireFreeDisk(disk: Disk): void {
  if (disk.isShort()) throw tooFull()
}

/**
 * Guards a write that must leave more room than hits need.
 * @throws AppError `unavailable` while less is free
 */
export async function requireFreeBytes(disk: Disk, bytes: number): Promise<void> {
  const free = await disk.freeBytes()
  if (free !== undefined && free < bytes) throw tooFull()
}

const tooFull = () =>
  new AppError('unavailable', 'The disk of the service is nearly full; send it again later', {
    retryAfter: RETRY_AFTER,
  })
