import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FAULTS, withFault } from '../../scripts/bench/fault-table.ts'
import { projectRoot } from '../../src/platform/config/config.ts'

test('faults: each of thirty has its one place in the sources, and changes it', () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(30)
  for (const fault of FAULTS) {
    const text = readFileSync(join(projectRoot, fault.file), 'utf8')
    expect(withFault(fault, text), fault.name).not.toBe(text)
  }
})
