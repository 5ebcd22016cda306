import { expect, test } from 'vitest'
import { AppError, retryAfterOf } from '../../src/platform/errors.ts'

test('errors: what is unavailable says when to come back, in whole seconds, and what is wrong with a request does not', () => {
  expect(retryAfterOf(new AppError('unavailable', 'Try again'))).toBe(5)
  expect(retryAfterOf(new AppError('unavailable', 'Try again', { retryAfter: 0.2 }))).toBe(1)
  expect(retryAfterOf(new AppError('rate_limited', 'Too many', { retryAfter: 60 }))).toBe(60)
  expect(retryAfterOf(new AppError('not_found', 'There is none'))).toBeUndefined()
})
