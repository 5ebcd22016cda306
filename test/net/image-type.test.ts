import { expect, test } from 'vitest'
import { rasterTypeOf } from '../../src/net/remote-pictures.ts'

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
