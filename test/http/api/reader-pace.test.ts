import { expect, test } from 'vitest'
import { createPace } from '../../../src/http/api/reader-pace.ts'

const PIECE = 64 * 1024

test('downloads: a reader of one byte a second is disconnected after a minute, one of 16 KiB a second never', () => {
  const pace = createPace()
  for (let piece = 0; piece < 1_000; piece++) {
    expect(pace.allowedFor(PIECE)).toBe(64_000)
    pace.took(PIECE, 4_000)
  }
  // Each piece in 14 s instead of 4: ten seconds of patience less each time.
  let pieces = 0
  for (; pace.allowedFor(PIECE) > 14_000; pieces++) pace.took(PIECE, 14_000)
  expect(pieces).toBe(5)
})

test('downloads: a fast beginning is no credit for a long pause', () => {
  const pace = createPace()
  for (let piece = 0; piece < 1_000; piece++) pace.took(PIECE, 1)
  expect(pace.allowedFor(PIECE)).toBe(64_000)
})
