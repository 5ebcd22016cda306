import { expect, test } from 'vitest'
import { z } from 'zod'
import { requiredText, text, validationError } from '../../src/platform/schema/validation.ts'

const problems = (schema: z.ZodType, value: unknown) => {
  const parsed = schema.safeParse(value)
  return parsed.success ? undefined : validationError(parsed.error).fields
}

test.each([
  [z.object({ a: z.string() }), {}, { a: ['is required'] }],
  [z.object({ a: z.string() }), { a: 1 }, { a: ['must be a string'] }],
  [z.object({ a: z.boolean() }), { a: 'true' }, { a: ['must be true or false'] }],
  [z.object({ a: z.int() }), { a: 1.5 }, { a: ['must be an integer'] }],
  [z.object({ a: z.int().min(1).max(5) }), { a: 9 }, { a: ['must be at most 5'] }],
  [z.object({ a: z.enum(['x', 'y']) }), { a: 'z' }, { a: ['must be one of x, y'] }],
  [z.object({ a: z.guid() }), { a: 'z' }, { a: ['must be a UUID'] }],
  [z.object({ a: z.array(z.string()).min(1) }), { a: [] }, { a: ['must have at least 1 entries'] }],
  [z.object({ a: z.array(z.string()) }), { a: ['x', 1] }, { 'a.1': ['must be a string'] }],
  [z.object({ a: z.object({ b: z.string() }) }), { a: {} }, { 'a.b': ['is required'] }],
  [z.object({ a: z.union([z.string(), z.number()]) }), { a: null }, { a: ['is not valid'] }],
  [z.object({}), 'text', { body: ['must be an object'] }],
  [text(3), 'four', { body: ['must be at most 3 characters'] }],
  [requiredText(3), '\0', { body: ['must not be empty'] }],
])('validation messages: case %# has the message of the service', (schema, value, fields) => {
  expect(problems(schema, value)).toEqual(fields)
})

test('validation: a text is measured in code points; NUL and lone surrogates are replaced', () => {
  expect(text(3).parse('🍕🍕🍕')).toBe('🍕🍕🍕')
  expect(text(3).safeParse('🍕🍕🍕🍕').success).toBe(false)
  expect(text(9).parse('a\0b\ud800c')).toBe('ab\ufffdc')
})

test('validation: the message names the first wrong field', () => {
  const { error } = z.object({ a: z.string(), b: z.string() }).safeParse({})
  expect(validationError(error!).message).toBe('a is required')
})
