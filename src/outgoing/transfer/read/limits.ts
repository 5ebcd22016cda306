import type { Config } from '../../../platform/config/config.ts'
import { AppError } from '../../../platform/errors.ts'

/** Bounds for what comes out of compressed files: a small file must not fill the disk or keep a process busy for hours. */
export interface UnpackLimits {
  /** Of all files together. */
  maxBytes: number
  /** Unpacked bytes for each packed byte, looked at from `freeBytes` on. */
  maxRatio: number
  freeBytes: number
  maxFiles: number
  /** Name of the setting that says `maxBytes`. */
  setting?: string
}

const MIB = 1024 * 1024

/** Logs and CSV shrink to a thirtieth, exports with equal rows to a hundredth. */
export const UNPACK_LIMITS: UnpackLimits = {
  maxBytes: 64 * 1024 * MIB,
  maxRatio: 250,
  freeBytes: 64 * MIB,
  maxFiles: 10_000,
}

/** Bounds for a file that a team uploads: unpacked it is sorted on the disk of the service, and takes its time. */
export const uploadLimits = ({
  importMaxUnpackedBytes,
}: Pick<Config, 'importMaxUnpackedBytes'>): UnpackLimits => ({
  ...UNPACK_LIMITS,
  maxBytes: importMaxUnpackedBytes,
  setting: 'IMPORT_MAX_UNPACKED_MB',
})

/** @throws AppError `validation_failed` when more comes out of a file than is allowed */
export function checkUnpacked(
  packed: number,
  unpacked: number,
  { maxBytes, maxRatio, freeBytes, setting }: UnpackLimits,
): void {
  if (unpacked > maxBytes) {
    const limit = `${Math.floor(maxBytes / MIB)} MiB${setting === undefined ? '' : ` (${setting})`}`
    const remedy = setting === undefined ? 'unpack and split it' : 'split it, or use the command line'
    throw refusal(`the file unpacks to more than ${limit}; ${remedy}`)
  }
  if (unpacked > freeBytes && unpacked > packed * maxRatio) {
    throw refusal(`the file unpacks to more than ${maxRatio} times its size; unpack it and bring the result`)
  }
}

/**
 * Counts what comes out of all files that an uploaded file holds: many small bombs are one large bomb.
 * @param packed bytes of the uploaded file
 */
export function createUnpackCounter(packed: number, limits: UnpackLimits) {
  let unpacked = 0
  return {
    /** Returns a function that passes the bytes of one of the files on. What is read again counts once. */
    ofFile() {
      let furthest = 0
      return async function* counted(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
        let position = 0
        for await (const chunk of source) {
          position += chunk.length
          unpacked += Math.max(position - furthest, 0)
          furthest = Math.max(position, furthest)
          checkUnpacked(packed, unpacked, limits)
          yield chunk
        }
      }
    },
  }
}

export const refusal = (message: string, cause?: unknown) =>
  new AppError('validation_failed', message, { cause })
