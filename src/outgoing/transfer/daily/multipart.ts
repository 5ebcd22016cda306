import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { sendFile } from './send-file.ts'

/** Most parts that a file may have. */
const MOST_PARTS = 10_000

interface Upload {
  client: S3Client
  /** Bucket and name of the file. */
  place: { Bucket: string; Key: string }
  contentType: string
  /** Whether the server knows Amazon's checksums. */
  hasChecksums: boolean
}

/**
 * Puts a file in parts: it takes its place when all of them are there.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
 * @param partBytes size of a part, at least 5 MiB for Amazon; larger where the file would have too many
 */
export async function putInParts(
  { client, place, contentType, hasChecksums }: Upload,
  { file, size, partBytes }: { file: string; size: number; partBytes: number },
): Promise<void> {
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({
      ...{ ...place, ContentType: contentType },
      ...(hasChecksums && { ChecksumAlgorithm: 'CRC32' as const }),
    }),
  )
  const bytes = Math.max(partBytes, Math.ceil(size / MOST_PARTS))
  const parts: CompletedPart[] = []
  try {
    for (let start = 0; start < size; start += bytes) {
      const length = Math.min(bytes, size - start)
      const part = { ...place, UploadId, PartNumber: parts.length + 1, ContentLength: length }
      const { ETag, ChecksumCRC32 } = await sendFile(
        file,
        { start, end: start + length - 1 },
        (Body, options) => client.send(new UploadPartCommand({ ...part, Body }), options),
      )
      parts.push({ PartNumber: part.PartNumber, ETag, ...(ChecksumCRC32 && { ChecksumCRC32 }) })
    }
    await client.send(
      new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts: parts } }),
    )
  } catch (error) {
    // Parts without their file cost as much as a file. The first error says more than that of this call.
    await client.send(new AbortMultipartUploadCommand({ ...place, UploadId })).catch(() => {})
    throw error
  }
}
