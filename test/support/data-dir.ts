import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, inject, onTestFinished } from 'vitest'
import { newFolder } from './folders.ts'

/**
 * Puts a copy of the migrated embedded database into the data folder `dataDir`, which is created when it is missing.
 * A database that starts from it is ready after 1 s; initializing an empty folder takes 5 s.
 */
export function fillDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  cpSync(inject('databaseFolder'), join(dataDir, 'database'), { recursive: true })
}

/** A new data folder with a migrated embedded database. Call `remove` in `afterAll`. */
export function newDataDir(): { dataDir: string; remove(): void } {
  const { folder: dataDir, remove } = newFolder('data')
  fillDataDir(dataDir)
  return { dataDir, remove: () => remove() }
}

/** A new folder that goes when the case has ended. */
export function folderOfCase(name: string): string {
  const { folder, remove } = newFolder(name)
  onTestFinished(remove)
  return folder
}

/** A new folder that goes after the tests of the file. */
export function folderOfFile(name: string): string {
  const { folder, remove } = newFolder(name)
  afterAll(remove)
  return folder
}
