import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('PM2: wrong settings are sentences without a stack, and exit code 1', () => {
  const config = new URL('../../ecosystem.config.js', import.meta.url).href
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', `await import('${config}')`],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { ...process.env, BASE_URL: '', PORT: 'banana', HTTP_WORKERS: '0' },
      encoding: 'utf8',
    },
  )
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^error: PORT is "banana"; .+\nerror: HTTP_WORKERS is "0"; .+\n$/)
})
