import { stat } from 'node:fs/promises'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { BucketAddress } from '../../../platform/config/export.ts'
import { putInParts } from './multipart.ts'
import { sendFile } from './send-file.ts'
import type { Target } from './target.ts'

const CONTENT_TYPE = 'application/vnd.apache.parquet'
/** A larger file is put in parts of this size. One request takes 5 GB at most. */
const PART_BYTES = 256 * 1024 * 1024

/**
 * Puts files in a bucket of Amazon S3 or of a server that speaks its protocol. The keys come from where Amazon's tools find them:
 * `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a profile, or the role of the machine.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
 */
export function bucketTarget(
  { bucket, prefix, region, endpoint }: BucketAddress,
  partBytes = PART_BYTES,
): Target {
  const client = new S3Client({
    region,
    // Other servers have no host name for each bucket, and may not know Amazon's newer checksums.
    ...(endpoint !== undefined && {
      endpoint,
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED' as const,
      responseChecksumValidation: 'WHEN_REQUIRED' as const,
    }),
  })
  return {
    async put(name, file) {
      const { size } = await stat(file)
      const place = { Bucket: bucket, Key: prefix + name }
      if (size > partBytes) {
        const upload = { client, place, contentType: CONTENT_TYPE, hasChecksums: endpoint === undefined }
        return putInParts(upload, { file, size, partBytes })
      }
      const put = { ...place, ContentLength: size, ContentType: CONTENT_TYPE }
      await sendFile(file, undefined, (Body, options) =>
        client.send(new PutObjectCommand({ ...put, Body }), options),
      )
    },
  }
}
