import { AppError } from '../../../platform/errors.ts'
import type { SiteKind } from '../rows/row-files.ts'
import { maxLineBytes, tooLong } from './line-limits.ts'
import type { TeamKind } from './names.ts'

/** Parts of an archive end with a piece: with pieces of a few large lines, a part would be larger than what is read. */
const PIECE_BYTES = 4 * 1024 * 1024

/**
 * Yields lines in pieces, each with whole lines; a long line is a piece of its own.
 * @throws AppError `bad_request` at a line that a restoration would refuse
 */
export async function* piecesOfLines(
  kind: SiteKind | TeamKind,
  blocks: AsyncIterable<string[]> | string[][],
): AsyncGenerator<Buffer> {
  const most = maxLineBytes(kind)
  for await (const lines of blocks) {
    let piece: string[] = []
    let bytes = 0
    for (const line of lines) {
      const lineBytes = Buffer.byteLength(line)
      if (lineBytes > most) throw new AppError('bad_request', `${kind} have ${tooLong(kind)}`)
      if (piece.length > 0 && bytes + lineBytes > PIECE_BYTES) {
        yield pieceOf(piece)
        ;[piece, bytes] = [[], 0]
      }
      piece.push(line)
      bytes += lineBytes
    }
    if (piece.length > 0) yield pieceOf(piece)
  }
}

const pieceOf = (lines: string[]): Buffer => Buffer.from(`${lines.join('\n')}\n`)
