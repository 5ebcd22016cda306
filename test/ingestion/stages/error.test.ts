import { expect, test } from 'vitest'
import { errorFingerprint } from '../../../src/ingestion/stages/error.ts'
import { LIFECYCLE_NAMES } from '../../../src/storage/events/reserved-names.ts'
import { enriched, SITE_ID } from './hit.ts'

const error = (fields?: { name?: string; message?: string; stack?: string; fileName?: string }) =>
  enriched({ type: 'error', name: 'error', ...(fields && { error: fields }) })

test.each([
  [{ name: 'TypeError', message: 'x is undefined' }, 'TypeError', 'x is undefined'],
  [{ message: 'x is undefined' }, 'Error', 'x is undefined'],
  [{ name: 'TypeError' }, 'TypeError', 'TypeError'],
  [{ name: ' ', message: '' }, 'Error', 'Error'],
  [undefined, 'Error', 'Error'],
  [{ name: 'payment', message: 'x is undefined' }, 'Error', 'x is undefined'],
  [{ name: 'subscription_started' }, 'Error', 'subscription_started'],
  [{ name: 'pageview' }, 'Error', 'pageview'],
  [{ name: 'Payment', message: 'declined' }, 'Payment', 'declined'],
])('errors: %j is read as %s %j', (fields, name, message) => {
  const hit = error(fields)
  expect(hit).toMatchObject({ name, error: { name, message } })
  expect(hit.errorId).toBe(errorFingerprint(SITE_ID, message))
})

test('errors: each reserved name becomes Error, so that none is taken for an event of the service', () => {
  for (const name of ['pageview', 'engagement', 'performance', 'web-vitals', ...LIFECYCLE_NAMES])
    expect(error({ name, message: 'boom' }), name).toMatchObject({ name: 'Error', error: { name: 'Error' } })
})

test('errors: the fingerprint is the UUIDv5 of site and message', () => {
  // uuid.uuid5(uuid.UUID('6ba7b810-9dad-11d1-80b4-00c04fd430c8'), 'www.example.com') in Python
  const namespace = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
  expect(errorFingerprint(namespace, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2')
})

test('errors: the fingerprint distinguishes sites, spaces and case, but not names and files', () => {
  const ids = ['boom', 'Boom', ' boom', 'boom '].map(message => error({ message }).errorId)
  expect(new Set(ids).size).toBe(4)
  expect(error({ name: 'A', message: 'boom', fileName: 'a.js' }).errorId).toBe(ids[0])
  expect(errorFingerprint('5f0c7a52-3c1e-4a86-9d0b-0b7f4f6a2f12', 'boom')).not.toBe(ids[0])
})

test('errors: long messages have different fingerprints although they are stored truncated', () => {
  const one = error({ message: `${'a'.repeat(5_000)}1` })
  const two = error({ message: `${'a'.repeat(5_000)}2` })
  expect(one.error?.message).toBe(two.error?.message)
  expect(one.errorId).not.toBe(two.errorId)
})

test('errors: hits of other types have no fingerprint', () => {
  expect(enriched({ type: 'event', name: 'error-ish' }).errorId).toBeUndefined()
})
