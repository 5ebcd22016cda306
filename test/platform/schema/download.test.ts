import { expect, test } from 'vitest'
import { Download, nextPart } from '../../../src/platform/schema/download.ts'

const wholeList = () => new Download({ startedAt: new Date(0), isWhole: true })
const LIST = Array.from({ length: 2_500 }, (_, index) => index)

/** The next block of a list, as a procedure reads it. */
async function readBlock(find: () => Promise<number[]>): Promise<number[]> {
  const { list, from, to } = await nextPart('list', find, ({ length }) => length)
  return list.slice(from, to)
}

test('download: a list that could not be found is looked for again', async () => {
  const download = wholeList()
  let tries = 0
  const find = async () => {
    tries += 1
    if (tries === 1) throw new Error('the standby may not answer')
    return LIST
  }
  await expect(download.next(() => readBlock(find))).rejects.toThrow('standby')
  expect(await download.next(() => readBlock(find))).toEqual(LIST.slice(0, 1_000))
})

test('download: a block whose rows are read a second time, since the first time failed, is not left out', async () => {
  const download = wholeList()
  const rows: unknown[] = []
  for (let block = 0; block < 3; block++) {
    const read = async () => {
      await readBlock(async () => LIST) // as on a standby that is lost before it has given the rows
      return readBlock(async () => LIST)
    }
    rows.push(...(await download.next(read)))
    expect(download.isComplete).toBe(block === 2)
  }
  expect(rows).toEqual(LIST)
})
