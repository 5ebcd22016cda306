import { expect, test } from 'vitest'
import { ownPath } from '../../src/web/state/own-path.ts'

test.each(['/', '/sites/a.example?range=all&path[contains]=%2Fa', '/account/devices', '/invite#secret'])(
  'return address: %s leads to a page of the service',
  path => {
    expect(ownPath(path)).toBe(path)
  },
)

test.each([
  null,
  '',
  'sites',
  '//evil.example',
  '/\\evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  '/\tevil',
  '/a\nb',
  '/ä',
])('return address: %j leads to the first page', path => {
  expect(ownPath(path)).toBe('/')
})
