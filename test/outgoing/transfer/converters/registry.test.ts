import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CONVERTERS } from '../../../../src/outgoing/transfer/converters/registry.ts'
import { projectRoot } from '../../../../src/platform/config/config.ts'

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')

test.each(Object.entries(CONVERTERS))(
  '%s: it says what its file must be, what is not exact, and how to get it',
  (name, converter) => {
    expect(converter.title).not.toBe('')
    expect(converter.file).toMatch(/^[A-Z].*\.$/)
    expect(converter.notes.length).toBeGreaterThan(0)
    for (const note of converter.notes) expect(note).toMatch(/\.$/)
    expect(read('docs/import-formats.md')).toContain(`\`import:${name}\``)
  },
)
