import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { BucketAddress } from '../../config-export.ts'
import type { Target } from './target.ts'

/**
 * Puts files in a bucket of Amazon S3 or of a server that speaks its protocol. The keys come from where Amazon's tools find them:
 * `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a profile, or the role of the machine.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html a file of up to 5 GB
 */
export function bucketTarget({ bucket, prefix, region, endpoint }: BucketAddress): Target {
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
      await client.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: prefix + name,
          Body: createReadStream(file),
          ContentLength: size,
          ContentType: 'application/vnd.apache.parquet',
        }),
      )
    },
  }
}
