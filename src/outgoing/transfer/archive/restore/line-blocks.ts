import { readLines } from '../../../../ingestion/import/lines.ts'
import { refusal } from '../../read/limits.ts'
import { maxLineBytes, tooLong } from '../line-limits.ts'
import type { OpenedFile } from '../open-archive.ts'

const BLOCK_ROWS = 1_000
/** Lines with sets of visitors are large. */
const BLOCK_BYTES = 4 * 1024 * 1024

/** Yields the bytes of files as those of one file. */
export async function* contentOf(files: readonly OpenedFile[]): AsyncGenerator<Buffer> {
  for (const file of files) yield* file.read()
}

/** Yields the lines of files of one kind in blocks, each a text with a JSON array. The database reads them: numbers and times keep all of their digits. */
export async function* lineBlocks(files: readonly OpenedFile[]): AsyncGenerator<string> {
  const [first] = files
  if (!first) return
  let block: string[] = []
  let bytes = 0
  for await (const lines of readLines(contentOf(files), maxLineBytes(first.kind))) {
    for (const { text } of lines) {
      if (!text) throw refusal(`${first.name} has ${tooLong(first.kind)}`)
      block.push(text.toString())
      bytes += text.length
      if (block.length < BLOCK_ROWS && bytes < BLOCK_BYTES) continue
      yield arrayOf(block)
      ;[block, bytes] = [[], 0]
    }
  }
  if (block.length > 0) yield arrayOf(block)
}

const arrayOf = (lines: string[]): string => `[${lines.join(',')}]`
