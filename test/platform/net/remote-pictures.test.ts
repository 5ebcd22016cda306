import { beforeEach, expect, test } from 'vitest'
import { createRemotePictures, rasterTypeOf } from '../../../src/platform/net/remote-pictures.ts'

const FETCHED = { type: 'image/png', bytes: Buffer.from('picture') }
const MINUTE = 60_000

let at = 0
let begun: string[] = []
let finish: (() => void)[] = []
beforeEach(() => {
  at = Date.UTC(2026, 2, 1)
  begun = []
  finish = []
})

/** Remote pictures whose fetches the test finishes; keys that begin with `no` have no picture. */
const startPictures = (limits: { maxAtOnce: number; maxPerMinute: number }) =>
  createRemotePictures({
    load(key) {
      begun.push(key)
      return new Promise(resolve => {
        finish.push(() => resolve(key.startsWith('no') ? undefined : FETCHED))
      })
    },
    ...limits,
    now: () => new Date(at),
  })

const standIn = () => '<svg/>'
const instead = (maxAgeMs: number) => ({ type: 'image/svg+xml', bytes: Buffer.from('<svg/>'), maxAgeMs })

test('remote pictures: concurrent fetches are limited; further keys get the stand-in for a minute', async () => {
  const pictures = startPictures({ maxAtOnce: 2, maxPerMinute: 100 })
  const running = ['a', 'b', 'a'].map(key => pictures.find(key, standIn))
  expect(await pictures.find('c', standIn)).toEqual(instead(MINUTE))
  expect(begun).toEqual(['a', 'b'])
  for (const end of finish) end()
  expect(await Promise.all(running)).toEqual(Array(3).fill({ ...FETCHED, maxAgeMs: 1_440 * MINUTE }))
  const now = pictures.find('c', standIn)
  finish.at(-1)!()
  expect(await now).toMatchObject(FETCHED)
})

test('remote pictures: fetches per minute are limited, failed ones included', async () => {
  const pictures = startPictures({ maxAtOnce: 10, maxPerMinute: 3 })
  for (const key of ['none', 'no', 'a']) {
    const found = pictures.find(key, standIn)
    finish.at(-1)!()
    expect(await found).toEqual(key === 'a' ? { ...FETCHED, maxAgeMs: 1_440 * MINUTE } : instead(60 * MINUTE))
  }
  expect(await pictures.find('b', standIn)).toEqual(instead(MINUTE))
  expect(await pictures.find('a', standIn)).toMatchObject(FETCHED)
  at += MINUTE
  const found = pictures.find('b', standIn)
  finish.at(-1)!()
  expect(await found).toMatchObject(FETCHED)
  expect(begun).toEqual(['none', 'no', 'a', 'b'])
})

test('remote pictures: a failure is remembered for an hour, a picture for a day', async () => {
  const pictures = startPictures({ maxAtOnce: 10, maxPerMinute: 100 })
  const findBoth = async () => {
    const found = [pictures.find('a', standIn), pictures.find('none', standIn)]
    for (const end of finish.splice(0)) end()
    await Promise.all(found)
    return begun.splice(0)
  }
  expect(await findBoth()).toEqual(['a', 'none'])
  at += 60 * MINUTE - 1
  expect(await findBoth()).toEqual([])
  at += 1
  expect(await findBoth()).toEqual(['none'])
  at += 1_380 * MINUTE
  expect(await findBoth()).toEqual(['a', 'none'])
})

test.each([
  ['\x89PNG\r\n\x1a\n\0\0', 'image/png'],
  ['\0\0\x01\0\x01\0', 'image/x-icon'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['GIF87a..', 'image/gif'],
  ['GIF89a..', 'image/gif'],
  ['RIFF\n\0\x0a\rWEBPVP8 ', 'image/webp'],
  ['', undefined],
  ['\0\0\x01\0\0\0', undefined],
  ['\0\0\x02\0\x01\0', undefined],
  ['RIFF....WAVE', undefined],
  ['<svg xmlns="http://www.w3.org/2000/svg">', undefined],
  ['<?xml version="1.0"?><svg/>', undefined],
  ['<!doctype html><script>', undefined],
  [' \x89PNG\r\n\x1a\n', undefined],
  ['x\xff\xd8\xff', undefined],
])('image type: %j is %s', (bytes, type) => {
  expect(rasterTypeOf(Buffer.from(bytes, 'latin1'))).toBe(type)
})
