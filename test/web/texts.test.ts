import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { IMPORT_FORMATS } from '../../src/outgoing/transfer/imports/registry.ts'
import { projectRoot } from '../../src/platform/config/config.ts'
import { dictionary as german } from '../../src/web/text/languages/de.ts'
import { dictionary as english } from '../../src/web/text/languages/en.ts'

const folder = join(projectRoot, 'src', 'web')
const components = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
  name.endsWith('.tsx'),
)

/** Attributes that people read or hear. */
const READ = new Set(['label', 'title', 'placeholder', 'alt', 'aria-label', 'hint'])

/** Examples of values, such as `/account/**` and `example.com`, are the same in every language. */
const isWords = (text: string) => /\p{L}{2}/u.test(text) && /^[\p{L}\s,:;!?…'’()–-]+$/u.test(text.trim())

/** Words in the markup of a component, which only one language would have. */
function wordsIn(name: string): string[] {
  const source = ts.createSourceFile(
    name,
    readFileSync(join(folder, name), 'utf8'),
    ts.ScriptTarget.ES2023,
    true,
  )
  const words: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && isWords(node.text)) words.push(node.text.trim())
    if (ts.isJsxAttribute(node) && READ.has(node.name.getText())) {
      const { initializer } = node
      if (initializer && ts.isStringLiteral(initializer) && isWords(initializer.text))
        words.push(initializer.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return words
}

/** Every text of a dictionary by its path; functions are called with examples. */
function textsOf(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') return [[path, String(value(...Array(value.length).fill('3')))]]
  if (Array.isArray(value)) return value.flatMap((each, index) => textsOf(each, `${path}.${index}`))
  return Object.entries(value as object).flatMap(([key, each]) => textsOf(each, `${path}.${key}`))
}

/** Texts that the service sends in English; other languages have their own. */
const OF_SERVICE = /^\.imports\.(files|noteTexts|whyNoUndo)\./

test('texts: German has what the service says of files to import', () => {
  const { files, noteTexts, whyNoUndo } = german!.imports
  for (const { format, notes, whyNoUndo: why } of IMPORT_FORMATS) {
    expect(files, format).toHaveProperty([format])
    expect(noteTexts[format], format).toHaveLength(notes.length)
    expect(whyNoUndo[format] !== undefined, format).toBe(why !== undefined)
  }
})

test.each(components)('texts: %s has no words of its own', name => {
  expect(wordsIn(name)).toEqual([])
})

test('texts: no text is empty, and German has the same ones', () => {
  const [here, there] = [english, german].map(each => new Map(textsOf(each)))
  const ofBoth = [...there!.keys()].filter(path => !OF_SERVICE.test(path))
  expect(ofBoth).toEqual([...here!.keys()])
  for (const texts of [here!, there!]) {
    for (const [path, text] of texts) expect(text.trim(), path).not.toBe('')
  }
})
