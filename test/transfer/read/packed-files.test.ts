import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gunzipIfNeeded } from '../../../src/transfer/read/gunzip.ts'
import { UNPACK_LIMITS, type UnpackLimits } from '../../../src/transfer/read/limits.ts'
import { filesIn } from '../../../src/transfer/read/packed-files.ts'
import { openZip } from '../../../src/transfer/read/zip.ts'
import { collect, fileOf, textOf } from './source.ts'
import { zipOf } from './zip-file.ts'

const LONG = 'abcdefghij'.repeat(10_000)

const streamed = (bytes: Buffer) => fileOf(bytes).read()

test('packed files: a plain file is one file', async () => {
  const [file, ...others] = await filesIn(fileOf(LONG))
  expect(others).toEqual([])
  expect(await textOf(file!.read())).toBe(LONG)
})

test('packed files: gzip is unpacked, several members as well', async () => {
  const bytes = Buffer.concat([gzipSync(LONG), gzipSync('end')])
  const [file] = await filesIn(fileOf(bytes, 'export.csv.gz'))
  expect(file!.name).toBe('export.csv')
  expect(await textOf(file!.read())).toBe(`${LONG}end`)
})

test('packed files: a ZIP gives its files without folders and the files of macOS, any number of times', async () => {
  const bytes = zipOf([
    { name: 'export/', bytes: '' },
    { name: 'export/a.csv', bytes: LONG },
    { name: 'export/b.csv.gz', bytes: gzipSync('packed twice'), method: 0 },
    { name: '__MACOSX/export/._a.csv', bytes: 'x' },
    { name: '.DS_Store', bytes: 'x' },
  ])
  const files = await filesIn(fileOf(bytes, 'export.zip'))
  expect(files.map(({ name }) => name)).toEqual(['a.csv', 'b.csv'])
  for (let time = 0; time < 2; time++) {
    expect(await Promise.all(files.map(file => textOf(file.read())))).toEqual([LONG, 'packed twice'])
  }
})

const refused = (message: RegExp) => ({ code: 'validation_failed', message: expect.stringMatching(message) })

async function readAll(bytes: Buffer) {
  for (const file of await filesIn(fileOf(bytes, 'export.zip'))) await collect(file.read())
}

test('packed files: a ZIP that was cut is refused, wherever it was cut', async () => {
  const bytes = zipOf([{ name: 'a.csv', bytes: LONG }, { name: 'b.csv', bytes: LONG }]) // biome-ignore format: short
  for (const length of [10, 60, bytes.length - 100, bytes.length - 1]) {
    await expect(readAll(bytes.subarray(0, length))).rejects.toMatchObject(refused(/cut off or damaged/))
  }
})

test('packed files: a ZIP with damaged data is refused when it is read', async () => {
  const bytes = zipOf([{ name: 'a.csv', bytes: Buffer.from(LONG) }])
  bytes.fill(0xff, 40, 80)
  await expect(readAll(bytes)).rejects.toMatchObject(refused(/cut off or damaged/))
})

test('packed files: a file in a ZIP that is longer than it says is refused', async () => {
  await expect(readAll(zipOf([{ name: 'a.csv', bytes: LONG, says: 10 }]))).rejects.toMatchObject(
    refused(/cut off or damaged/),
  )
})

test.each([
  [{ isEncrypted: true }, /encrypted/],
  [{ method: 12 }, /packed in a way that is not known/],
])('packed files: a ZIP with %j is refused', async (entry, message) => {
  await expect(readAll(zipOf([{ name: 'a.csv', bytes: 'x', ...entry }]))).rejects.toMatchObject(
    refused(message),
  )
})

test('packed files: a ZIP bomb is refused before anything is unpacked', async () => {
  const bomb = zipOf([{ name: 'a.csv', bytes: Buffer.alloc(2_000_000) }])
  const limits = { ...UNPACK_LIMITS, freeBytes: 1_000_000 }
  await expect(openZip(fileOf(bomb), limits)).rejects.toMatchObject(refused(/250 times/))
  await expect(openZip(fileOf(bomb), { ...limits, maxBytes: 1_500_000 })).rejects.toMatchObject(
    refused(/more than 1 MiB/),
  )
  const many = zipOf(Array.from({ length: 4 }, (_, index) => ({ name: `${index}`, bytes: 'x' })))
  await expect(openZip(fileOf(many), { ...limits, maxFiles: 3 })).rejects.toMatchObject(
    refused(/more than 3 files/),
  )
})

const readWith = async (bytes: Buffer, limits: UnpackLimits) => {
  for (const file of await filesIn(fileOf(bytes, 'export.zip'), limits)) await collect(file.read())
}

test('packed files: a gzip bomb is refused while it is unpacked, also one of many members; a cut one at its end', async () => {
  const limits = { ...UNPACK_LIMITS, freeBytes: 1_000_000 }
  const bomb = gzipSync(Buffer.alloc(5_000_000))
  await expect(readWith(bomb, limits)).rejects.toMatchObject(refused(/250 times/))
  const member = gzipSync(Buffer.alloc(600_000))
  await expect(readWith(Buffer.concat([member, member]), limits)).rejects.toMatchObject(refused(/250 times/))
  const cut = gzipSync(LONG).subarray(0, -20)
  await expect(collect(gunzipIfNeeded(streamed(cut)))).rejects.toMatchObject(refused(/cut off/))
})

test('packed files: what all files of a ZIP unpack to counts together, gzip in it as well; reading again counts once', async () => {
  // Not one of them is a bomb by itself.
  const packed = gzipSync(Buffer.alloc(400_000))
  const entries = (count: number) =>
    zipOf(
      Array.from({ length: count }, (_, index) => ({ name: `${index}.csv.gz`, bytes: packed, method: 0 })),
    )
  const limits = { ...UNPACK_LIMITS, freeBytes: 1_000_000 }
  await expect(readWith(entries(3), limits)).rejects.toMatchObject(refused(/250 times/))
  await expect(
    readWith(entries(3), { ...limits, maxRatio: 10_000, maxBytes: 1_100_000 }),
  ).rejects.toMatchObject(refused(/more than 1 MiB/))
  const files = await filesIn(fileOf(entries(2), 'export.zip'), limits)
  for (const file of [...files, ...files, ...files]) await collect(file.read())
})

test('packed files: a name is cut to 255 characters', async () => {
  const bytes = zipOf([{ name: `${'n'.repeat(60_000)}.csv`, bytes: 'x' }])
  expect((await filesIn(fileOf(bytes, 'export.zip')))[0]!.name).toBe('n'.repeat(255))
})

test('packed files: an error of reading stays what it is', async () => {
  async function* failing() {
    yield gzipSync(LONG).subarray(0, 50)
    throw new Error('the disk is gone')
  }
  await expect(collect(gunzipIfNeeded(failing()))).rejects.toThrow('the disk is gone')
})
