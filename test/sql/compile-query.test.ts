import { expect, test } from 'vitest'
import { compileQuery } from '../../src/platform/db/query.ts'

const compiled = (text: string) => compileQuery('some-name', text)

test('a named parameter becomes a position, the same for each use of its name, also with a cast', () => {
  expect(compiled('select :at::timestamptz, array[:id]::uuid[] from t where a = :id and b = :at')).toEqual({
    text: '/* some-name */\nselect $1::timestamptz, array[$2]::uuid[] from t where a = $2 and b = $1',
    parameters: ['at', 'id'],
  })
})

test.each([
  ['a cast', 'select a::text, (b)::int[] from t'],
  ['a slice', 'select a[1:2], a[:2], a[n:m] from t'],
  ['a text', "select ':siteNo', 'it''s :siteNo' from t"],
  ['a quoted name', 'select ":siteNo" from t'],
  ['a comment', 'select 1 -- of :siteNo'],
  ['a comment of several lines', 'select 1 /* of\n:siteNo */'],
])('%s is no parameter', (_, text) => {
  expect(compiled(text)).toEqual({ text: `/* some-name */\n${text}`, parameters: [] })
})

test('a fragment is a list of columns from the registry of dimensions, or a file of sql/fragments', () => {
  expect(compiled('select {rolled_up_hit_columns} from events').text).toBe(
    '/* some-name */\nselect path, title, hostname, name from events',
  )
  const { text, parameters } = compiled('select * from ({session_stamps}) as found where stamp = :stamp')
  expect(text).toContain('from new_stamps where site_no = $1::int')
  expect(parameters).toEqual(['siteNo', 'stamp'])
  expect(compiled("select '{session_stamps}'::text[]").text).toContain("'{session_stamps}'")
  expect(() => compiled('select {unknown_list}')).toThrow('unknown_list')
})
