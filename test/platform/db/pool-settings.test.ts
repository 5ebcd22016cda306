import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../src/platform/config/config.ts'
import { pgbouncerDatabases } from '../../support/pgbouncer-databases.ts'

test('PgBouncer: the documented entries have the settings of all pools', () => {
  const documented = readFileSync(join(projectRoot, 'docs/scaling.md'), 'utf8').match(
    /^analytics.* = host=.*$/gm,
  )
  expect(documented).toEqual(pgbouncerDatabases('host=10.0.0.4 port=5432'))
})
