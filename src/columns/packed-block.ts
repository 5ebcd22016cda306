import { LRUCache } from 'lru-cache'
import { type Block, bytesOf } from './block.ts'
import type { Numbering } from './build-block.ts'
import { decodeBlock } from './encode-block.ts'

/** Decoded columns of packed blocks, those that were read last. */
export type DecodedBlocks = LRUCache<PackedBlock, Block>

/** @param maxBytes about how much memory they may take */
export const createDecodedBlocks = (maxBytes: number): DecodedBlocks => new LRUCache({ maxSize: maxBytes })

/** A block that is kept encoded, and decoded where its columns are read. Do not keep its columns from one block to the next. */
export class PackedBlock implements Block {
  readonly isService = false
  readonly data: Buffer
  readonly #numbering: Numbering
  readonly #decoded: DecodedBlocks

  constructor(data: Buffer, numbering: Numbering, decoded: DecodedBlocks) {
    this.data = data
    this.#numbering = numbering
    this.#decoded = decoded
  }

  /** Gives its texts and visitors numbers: count functions look them up before they read its columns. */
  number(): void {
    void this.#columns
  }

  get sessions(): Block['sessions'] {
    return this.#columns.sessions
  }

  get hits(): Block['hits'] {
    return this.#columns.hits
  }

  get vitals(): Block['vitals'] {
    return this.#columns.vitals
  }

  get #columns(): Block {
    let block = this.#decoded.get(this)
    if (!block) {
      block = decodeBlock(this.data, this.#numbering)
      this.#decoded.set(this, block, { size: Math.max(1, bytesOf(block)) })
    }
    return block
  }
}
