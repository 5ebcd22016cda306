import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import S3rver from 's3rver'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { bucketTarget } from '../../../../src/outgoing/transfer/daily/bucket-target.ts'
import { putInParts } from '../../../../src/outgoing/transfer/daily/multipart.ts'
import { openTarget } from '../../../../src/outgoing/transfer/daily/target.ts'
import { exportTo } from '../../../../src/platform/config/export.ts'
import { temporaryFolder } from '../../../scripts/command.ts'

const folder = temporaryFolder()
let server: S3rver
let endpoint: string
let client: S3Client

beforeAll(async () => {
  const address = { address: '127.0.0.1', port: 0, silent: true, directory: join(folder, 's3') }
  server = new S3rver({ ...address, configureBuckets: [{ name: 'hits', configs: [] }] })
  endpoint = `http://127.0.0.1:${(await server.run()).port}`
  // The key of the test server.
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER')
  client = new S3Client({ region: 'eu-central-1', endpoint, forcePathStyle: true })
})
afterAll(async () => {
  await server.close()
  vi.unstubAllEnvs()
})

async function bytesOf(Key: string): Promise<Buffer> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'hits', Key }))
  return Buffer.from(await Body!.transformToByteArray())
}

const NAME = 'site=abc/date=2026-03-09/hits.parquet'

test('daily export: a bucket holds the newest file of a name, whole', async () => {
  const to = `s3://hits/analytics/eu?region=eu-central-1&endpoint=${endpoint}`
  const target = await openTarget(exportTo.parse(to))
  const file = join(folder, 'file')
  for (const content of ['first', 'x'.repeat(300_000)]) {
    writeFileSync(file, content)
    await target.put(NAME, file)
  }
  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: 'hits' }))
  expect(Contents?.map(({ Key, Size }) => [Key, Size])).toEqual([[`analytics/eu/${NAME}`, 300_000]])
  expect((await bytesOf(`analytics/eu/${NAME}`)).equals(readFileSync(file))).toBe(true)
})

test('daily export: a large file is put in parts, which are taken back when one fails', async () => {
  const address = { bucket: 'hits', prefix: '', region: 'eu-central-1', endpoint }
  const target = bucketTarget(address, 100_000)
  const file = join(folder, 'file')
  writeFileSync(file, randomBytes(250_000))
  const sent = vi.spyOn(S3Client.prototype, 'send')
  const commands = () => sent.mock.calls.splice(0).map(([command]) => command.constructor.name)
  await target.put('large', file)
  const part = 'UploadPartCommand'
  const [begin, end] = ['CreateMultipartUploadCommand', 'CompleteMultipartUploadCommand']
  expect(commands()).toEqual([begin, part, part, part, end])
  expect((await bytesOf('large')).equals(readFileSync(file))).toBe(true)
  commands()
  const place = { Bucket: 'hits', Key: 'lost' }
  const upload = { client, contentType: 'text/plain', hasChecksums: false, place }
  const lost = { file: join(folder, 'lost'), size: 1, partBytes: 1 }
  await expect(putInParts(upload, lost)).rejects.toThrow(/ENOENT/)
  expect(commands()).toEqual([begin, 'AbortMultipartUploadCommand'])
  sent.mockRestore()
})

test('daily export: a bucket that is not there is an error that names it', async () => {
  const target = await openTarget(exportTo.parse(`s3://unknown?region=eu-central-1&endpoint=${endpoint}`))
  const file = join(folder, 'file')
  writeFileSync(file, 'x')
  await expect(target.put(NAME, file)).rejects.toThrow(/bucket does not exist/)
})

test('EXPORT_TO: a folder is a path, a bucket has a folder or none; others are refused', () => {
  for (const value of [
    ...['relative/folder', 's3://hits', 's3://Hits?region=x', 's3://h?region=x'],
    ...['s3://hits?region=x&endpoint=minio:9000', 's3://hits?region=x&color=red'],
    ...['s3://key@hits?region=x', 's3://hits/%zz?region=x'],
    's3://hits?region=x&endpoint=https://key:secret@minio.example.com',
    'https://example.com/hits',
  ]) {
    expect(() => exportTo.parse(value), value).toThrow(/absolute path of a folder, or a bucket/)
  }
  expect(exportTo.parse('/var/lib/hits')).toEqual({ folder: '/var/lib/hits' })
  const bucket = { bucket: 'hits', region: 'us-east-1', endpoint: undefined }
  expect(exportTo.parse('s3://hits?region=us-east-1')).toEqual({ ...bucket, prefix: '' })
  expect(exportTo.parse('s3://hits/a%20b/?region=us-east-1')).toEqual({ ...bucket, prefix: 'a b/' })
})
