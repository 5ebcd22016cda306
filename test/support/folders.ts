import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder. Programs that write to it may still be ending when it is removed. */
export function newFolder(name: string): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), `analytics-${name}-`))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  return { folder, remove }
}
