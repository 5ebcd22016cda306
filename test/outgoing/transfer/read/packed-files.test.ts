import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gunzipIfNeeded } from '../../../../src/outgoing/transfer/read/gunzip.ts'
import { UNPACK_LIMITS, type UnpackLimits } from '../../../../src/outgoing/transfer/read/limits.ts'
import { filesIn } from '../../../../src/outgoing/transfer/read/packed-files.ts'
import { openZip } from '../../../../src/outgoing/transfer/read/zip.ts'
import { collect, fileOf, refused, textOf } from './source.ts'
import { zipOf } from './zip-file.ts'

const LONG = 'abcdefghij'.repeat(10_000)

test('packed files: a plain file is one file, and gzip is unpacked, several members as well', async () => {
  const [plain, ...others] = await filesIn(fileOf(LONG))
  expect(others).toEqual([])
  expect(await textOf(plain!.read())).toBe(LONG)
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
  for (let time = 0; time < 2; time++)
    expect(await Promise.all(files.map(file => textOf(file.read())))).toEqual([LONG, 'packed twice'])
})

/** Expects a refusal of opening a file or of reading what is in it. */
const expectRefused = (reading: Promise<unknown>, message: RegExp) =>
  expect(reading).rejects.toMatchObject(refused(message))

async function readAll(bytes: Buffer, limits: UnpackLimits = UNPACK_LIMITS) {
  for (const file of await filesIn(fileOf(bytes, 'export.zip'), limits)) await collect(file.read())
}

test('packed files: a ZIP that was cut, damaged, encrypted or packed in an unknown way is refused', async () => {
  const [first, second] = ['a.csv', 'b.csv'].map(name => ({ name, bytes: LONG }))
  const bytes = zipOf([first!, second!])
  for (const length of [10, 60, bytes.length - 100, bytes.length - 1])
    await expectRefused(readAll(bytes.subarray(0, length)), /cut off or damaged/)
  const damaged = Buffer.from(bytes)
  damaged.fill(0xff, 40, 80)
  await expectRefused(readAll(damaged), /cut off or damaged/)
  // It is longer than it says.
  await expectRefused(readAll(zipOf([{ ...first!, says: 10 }])), /cut off or damaged/)
  await expectRefused(readAll(zipOf([{ ...first!, isEncrypted: true }])), /encrypted/)
  await expectRefused(readAll(zipOf([{ ...first!, method: 12 }])), /packed in a way that is not known/)
})

const LIMITS = { ...UNPACK_LIMITS, freeBytes: 1_000_000 }

test('packed files: a ZIP bomb is refused before anything is unpacked', async () => {
  const bomb = zipOf([{ name: 'a.csv', bytes: Buffer.alloc(2_000_000) }])
  await expectRefused(openZip(fileOf(bomb), LIMITS), /250 times/)
  await expectRefused(openZip(fileOf(bomb), { ...LIMITS, maxBytes: 1_500_000 }), /more than 1 MiB/)
  const many = zipOf(Array.from({ length: 4 }, (_, index) => ({ name: `${index}`, bytes: 'x' })))
  await expectRefused(openZip(fileOf(many), { ...LIMITS, maxFiles: 3 }), /more than 3 files/)
})

test('packed files: a gzip bomb is refused while it is unpacked, also one of many members; a cut one at its end', async () => {
  await expectRefused(readAll(gzipSync(Buffer.alloc(5_000_000)), LIMITS), /250 times/)
  const member = gzipSync(Buffer.alloc(600_000))
  await expectRefused(readAll(Buffer.concat([member, member]), LIMITS), /250 times/)
  const cut = fileOf(gzipSync(LONG).subarray(0, -20)).read()
  await expectRefused(collect(gunzipIfNeeded(cut)), /cut off/)
})

test('packed files: what all files of a ZIP unpack to counts together, gzip in it as well; reading again counts once', async () => {
  // Not one of them is a bomb by itself.
  const packed = gzipSync(Buffer.alloc(400_000))
  const entries = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `${index}.csv.gz`)
    return zipOf(names.map(name => ({ name, bytes: packed, method: 0 })))
  }
  await expectRefused(readAll(entries(3), LIMITS), /250 times/)
  const wide = { ...LIMITS, maxRatio: 10_000, maxBytes: 1_100_000 }
  await expectRefused(readAll(entries(3), wide), /more than 1 MiB/)
  const files = await filesIn(fileOf(entries(2), 'export.zip'), LIMITS)
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
