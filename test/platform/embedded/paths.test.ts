import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDataDir } from '../../../src/platform/embedded/paths.ts'
import { recordingLog } from '../../support/recording-log.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'analytics-paths-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test.each(['755', '750', '707', '770'])('data folder: mode %s is changed to 700 and logged', mode => {
  chmodSync(folder, mode)
  const { log, lines } = recordingLog()
  openDataDir(folder, log)
  expect(modeOf(folder)).toBe('700')
  expect(lines).toEqual([expect.objectContaining({ from: mode, to: '700', dataDir: folder })])
})

test('data folder: a new one gets mode 700, and one with mode 700 is unchanged', () => {
  const { log, lines } = recordingLog()
  const made = join(folder, 'a', 'b')
  openDataDir(made, log)
  openDataDir(made, log)
  expect(modeOf(made)).toBe('700')
  expect(lines).toEqual([])
})

// A folder of the kernel: its mode cannot be changed.
test.runIf(process.platform === 'linux')(
  'data folder: the start fails and names the folder when its mode cannot be changed',
  () => {
    const { log } = recordingLog()
    expect(() => openDataDir('/proc/self/task', log)).toThrow(
      /^DATA_DIR is "\/proc\/.*\(mode 555\); allowed is a folder that only the user of the service can open/,
    )
  },
)
