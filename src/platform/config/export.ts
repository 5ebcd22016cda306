import { isAbsolute } from 'node:path'
import { z } from 'zod'

/** Where the files of the daily export go: a folder, or a bucket of an S3-compatible server. */
export type ExportTo = { folder: string } | BucketAddress

export interface BucketAddress {
  bucket: string
  /** What the names of files begin with; empty, or ends with `/`. */
  prefix: string
  region: string
  /** Address of the server; undefined: Amazon's. */
  endpoint: string | undefined
}

const ALLOWED =
  'the absolute path of a folder, or a bucket such as s3://bucket/folder?region=eu-central-1, with &endpoint=https://… for a server that is not Amazon’s'

/** Schema of the setting `EXPORT_TO`. */
export const exportTo = z.string().transform((value, context) => {
  const to = value.startsWith('s3://') ? bucketOf(value) : isAbsolute(value) ? { folder: value } : undefined
  if (to) return to
  context.addIssue({ code: 'custom', message: ALLOWED })
  return z.NEVER
})

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

function bucketOf(value: string): BucketAddress | undefined {
  if (!URL.canParse(value)) return undefined
  const { hostname: bucket, pathname, searchParams, hash, username } = new URL(value)
  if (!isEncoded(pathname)) return undefined
  const { region, endpoint, ...others } = Object.fromEntries(searchParams)
  const isWrong = Object.keys(others).length > 0 || hash !== '' || username !== ''
  // Keys come from the environment: this value is shown when it is wrong.
  const isServer = endpoint === undefined || (/^https?:\/\/[^@]+$/.test(endpoint) && URL.canParse(endpoint))
  if (isWrong || !region || !isServer || !BUCKET.test(bucket)) return undefined
  const folder = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, '')
  return { bucket, prefix: folder === '' ? '' : `${folder}/`, region, endpoint }
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
