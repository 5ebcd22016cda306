import { LRUCache } from 'lru-cache'
import { type Block, bytesOf } from './block.ts'
import type { Numbering } from './build-block.ts'
import { decodeBlock } from './encode-block.ts'

/** Decoded columns of packed blocks, those that were read last. */
export class DecodedBlocks {
  readonly #blocks: LRUCache<PackedBlock, Block>
  /** Also one that is too large for the cache: count functions read a block many times. */
  #last: { packed: PackedBlock; block: Block } | undefined

  /** @param maxBytes about how much memory they may take */
  constructor(maxBytes: number) {
    this.#blocks = new LRUCache({ maxSize: Math.max(1, maxBytes) })
  }

  /** Returns the columns of a block, which `decode` gives if they are not known. */
  get(packed: PackedBlock, decode: () => Block): Block {
    if (this.#last?.packed === packed) return this.#last.block
    let block = this.#blocks.get(packed)
    if (!block) {
      block = decode()
      this.#blocks.set(packed, block, { size: Math.max(1, bytesOf(block)) })
    }
    this.#last = { packed, block }
    return block
  }

  /** Forgets the columns of a block. */
  delete(packed: PackedBlock): void {
    this.#blocks.delete(packed)
    if (this.#last?.packed === packed) this.#last = undefined
  }
}

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
    return this.#decoded.get(this, () => decodeBlock(this.data, this.#numbering))
  }
}
