import { expect, test } from 'vitest'
import { piecesOfLines } from '../../../../src/outgoing/transfer/archive/pieces.ts'
import { lineBlocks } from '../../../../src/outgoing/transfer/archive/restore/line-blocks.ts'
import { collect } from '../read/source.ts'

const MIB = 1024 * 1024
type Kind = Parameters<typeof piecesOfLines>[0]

const line = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`

async function sent(kind: Kind, bytes: number) {
  const pieces = await collect(piecesOfLines(kind, [[line(bytes), line(3)]]))
  return { kind, name: `${kind}-0001.jsonl`, pieces }
}

/** A piece a line, as the lines are long. */
async function read({ kind, name, pieces }: Awaited<ReturnType<typeof sent>>) {
  async function* content() {
    yield* pieces
  }
  const file = { siteId: null, part: 1, rows: 2, bytes: 0, sha256: '', kind, name, read: content }
  const lengths: number[] = []
  for await (const block of lineBlocks([file])) lengths.push(block.length)
  return lengths
}

test.each([
  ['goals', 16],
  ['kept-values', 64],
] as const)(
  'archives: lines of %s have at most %i MiB, in the export as in the restoration',
  async (kind, most) => {
    const longest = await sent(kind, most * MIB)
    expect(longest.pieces).toHaveLength(2)
    expect(await read(longest)).toEqual([most * MIB + 2, 5])
    const message = `a line that is longer than ${most} MiB`
    await expect(sent(kind, most * MIB + 1)).rejects.toMatchObject({
      code: 'bad_request',
      message: `${kind} have ${message}`,
    })
    const pieces = [Buffer.from(`${line(most * MIB + 1)}\n`)]
    await expect(read({ ...longest, pieces })).rejects.toThrow(`${kind}-0001.jsonl has ${message}`)
  },
)
