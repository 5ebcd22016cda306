import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { fillDataDir } from '../support/data-dir.ts'
import { type Primary, startPrimary } from '../support/primary.ts'
import { eventually, freePort, isReady } from '../support/service.ts'

/** A service whose data folder is on a disk of its own. */
export interface SmallDisk {
  disk: string
  /** Only root can mount a small disk, where the kernel allows it. */
  isMounted: boolean
  primary: Primary
}

/** Starts a service on a small disk for the tests of a file. */
export function useSmallDisk(mib: number, settings: NodeJS.ProcessEnv): SmallDisk {
  const disk = mkdtempSync(join(tmpdir(), 'analytics-disk-'))
  const small = { disk, isMounted: mount(disk, mib), primary: undefined as unknown as Primary }
  beforeAll(async () => {
    if (!small.isMounted) return
    fillDataDir(join(disk, 'data'))
    small.primary = startPrimary({
      PORT: String(await freePort()),
      DATA_DIR: join(disk, 'data'),
      RATE_LIMIT_COLLECT: '0',
      ...settings,
    })
    await eventually(() => isReady(small.primary.url), 90_000)
  })
  afterAll(async () => {
    if (small.isMounted) {
      small.primary.kill('SIGTERM')
      await small.primary.exited
      execFileSync('umount', [disk])
    }
    rmdirSync(disk)
  })
  return small
}

function mount(disk: string, mib: number): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', disk], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
