import { LRUCache } from 'lru-cache'
import { type Block, bytesOf } from './block.ts'
import type { Numbering } from './build-block.ts'
import { decodeBlock } from './encode-block.ts'

/** Decoded columns of packed blocks, those that were read last. */
export class DecodedBlocks {
  readonly maxBytes: number
  readonly #blocks: LRUCache<PackedBlock, Block>

  /** @param maxBytes about how much memory they may take. Blocks that are counted together must fit: each is read several times */
  constructor(maxBytes: number) {
    this.maxBytes = Math.max(1, maxBytes)
    this.#blocks = new LRUCache({ maxSize: this.maxBytes })
  }

  get bytes(): number {
    return this.#blocks.calculatedSize
  }

  /** Returns the columns of a block, which `decode` gives if they are not known. */
  get(packed: PackedBlock, decode: () => Block): Block {
    let block = this.#blocks.get(packed)
    if (!block) {
      block = decode()
      this.#blocks.set(packed, block, { size: packed.decodedBytes })
    }
    return block
  }

  /** Forgets the columns of a block. */
  delete(packed: PackedBlock): void {
    this.#blocks.delete(packed)
  }
}

/** A block that is kept encoded, and decoded where its columns are read. Do not keep its columns beyond an answer: it may be decoded again. */
export class PackedBlock implements Block {
  readonly isService = false
  readonly data: Buffer
  /** About how much memory its decoded columns take. */
  decodedBytes: number
  readonly #numbering: Numbering
  readonly #decoded: DecodedBlocks

  constructor(data: Buffer, decodedBytes: number, numbering: Numbering, decoded: DecodedBlocks) {
    this.data = data
    this.decodedBytes = decodedBytes
    this.#numbering = numbering
    this.#decoded = decoded
  }

  get bytes(): number {
    return this.data.length
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
    return this.#decoded.get(this, () => {
      const block = decodeBlock(this.data, this.#numbering)
      this.decodedBytes = bytesOf(block)
      return block
    })
  }
}
