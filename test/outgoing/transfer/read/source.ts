import { expect } from 'vitest'
import type { SourceFile } from '../../../../src/outgoing/transfer/source-file.ts'
import { streamOf } from '../../../support/import-lines.ts'

/** Bytes as a file, read in small chunks. */
export function fileOf(bytes: Buffer | string, name = 'export.csv', chunkBytes = 1_000): SourceFile {
  const all = Buffer.from(bytes)
  return {
    name,
    bytes: all.length,
    async *read(start = 0, end = all.length) {
      for (let at = start; at < end; at += chunkBytes) yield all.subarray(at, Math.min(end, at + chunkBytes))
    },
  }
}

export { streamOf }

export const refused = (message: RegExp) => ({
  code: 'validation_failed',
  message: expect.stringMatching(message),
})

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

export const textOf = async (source: AsyncIterable<Buffer>) => Buffer.concat(await collect(source)).toString()
