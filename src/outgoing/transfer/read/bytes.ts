/** Returns the first `count` bytes of a stream, and a stream of all of it. */
export async function peek(
  source: AsyncIterable<Buffer>,
  count: number,
): Promise<{ first: Buffer; all: AsyncIterable<Buffer> }> {
  const chunks = source[Symbol.asyncIterator]()
  let first: Buffer = Buffer.alloc(0)
  while (first.length < count) {
    const next = await chunks.next()
    if (next.done) break
    first = first.length === 0 ? next.value : Buffer.concat([first, next.value])
  }
  async function* all() {
    try {
      if (first.length > 0) yield first
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    } finally {
      await chunks.return?.()
    }
  }
  return { first, all: all() }
}
