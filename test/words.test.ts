import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../src/platform/config/config.ts'

/** Words that docs/GLOSSARY.md has another one for, or that make a sentence hard to read, and what to write instead. */
const INSTEAD: Record<string, string> = {
  whoever: 'a noun',
  somebody: 'a noun',
  'of which': 'two sentences',
  portion: 'a part with a name',
  tally: 'counts by value',
  horizon: 'watermark',
  pageless: 'orphan engagement',
  milestone: 'lifecycle event',
  rework: 'recompute queue',
  persistently: 'retry',
  patiently: 'retry',
}

/** Migrations never change, and built files follow their sources; what people see in other languages has no English. */
const LEFT_OUT = /^(sql\/(citus\/)?migrations|src\/web\/text)\/|\/dist\/|\/de\.ts$/

const files = ['src', 'workers', 'scripts', 'sql', 'docs', '.'].flatMap(folder =>
  readdirSync(join(projectRoot, folder), { recursive: folder !== '.', encoding: 'utf8' })
    .map(file => join(folder, file))
    .filter(file => /\.(ts|tsx|sql|md)$/.test(file) && !LEFT_OUT.test(file)),
)

test('words: code and documents have one word for one meaning, and plain sentences', () => {
  const words = new RegExp(`\\b(${Object.keys(INSTEAD).join('|')})\\b`, 'gi')
  const found = files.flatMap(file =>
    readFileSync(join(projectRoot, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        [...line.matchAll(words)].map(
          ([word]) => `${file}:${index + 1}: ${INSTEAD[word.toLowerCase()]} in place of "${word}"`,
        ),
      ),
  )
  expect(files.length).toBeGreaterThan(0)
  expect(found).toEqual([])
})
